"""The toolbox of each task: which tools it has follows from its kind, what they search from the run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tasks.errors import UserError
from tasks.home import Home
from tasks.long_horizon.benchmarks import source as sources
from tasks.long_horizon.benchmarks.source import Source
from tasks.long_horizon.benchmarks.staging import staged
from tasks.long_horizon.benchmarks.task import Task
from tasks.long_horizon.contexts import Counter
from tasks.long_horizon.searching.corpus import Corpus, Shelf
from tasks.long_horizon.searching.engines import engine
from tasks.long_horizon.searching.library import Library
from tasks.long_horizon.searching.web import Web
from tasks.long_horizon.tools.collection_tools import collection_tools
from tasks.long_horizon.tools.fetching import Fetcher
from tasks.long_horizon.tools.toolbox import Toolbox
from tasks.long_horizon.tools.web_tools import file_tool, web_tools
from tasks.tokens.tokenizer import load

Maker = Callable[[Task], Toolbox]


@dataclass(frozen=True)
class Search:
    """Where agents search, and with which tools."""

    engine: str = "corpus"
    """corpus: the benchmark's own, offline. searxng, ddgs, serper: the web."""
    url: str | None = None
    """Address of a SearXNG instance."""
    get_document: bool = False
    """Whether agents on a collection may read whole documents, besides searching."""
    contact: str | None = None
    """E-mail address that servers of the web are told."""

    def identity(self) -> dict[str, Any]:
        """What of it decides what an agent finds."""
        return {"engine": self.engine, "get_document": self.get_document}


def check(source: Source, search: Search) -> None:
    """Raise `UserError` where the search back end lacks something: before a model is started, not after."""
    if search.engine != "corpus":
        engine(search.engine, search.url)
    elif source.benchmark == "gaia":
        raise UserError("GAIA has no corpus of its own: choose a search back end of the web with --search.")
    sources.check_corpus(source)


def maker(home: Home, source: Source, search: Search, counter: Counter) -> Maker:
    """Makes the toolbox of a task. Raises `UserError` where the search back end lacks something."""
    check(source, search)
    corpus: Corpus | None = None
    library: Library
    if search.engine == "corpus" or source.benchmark != "gaia":
        corpus = sources.corpus(source, home)
    if search.engine == "corpus":
        assert corpus is not None
        library = Shelf(corpus)
    else:
        agent = f"treebench (+mailto:{search.contact})" if search.contact else "treebench"
        library = Web(engine(search.engine, search.url), Fetcher(agent))
    beginning = _beginning(home) if corpus is not None else None

    def make(task: Task) -> Toolbox:
        if task.kind == "collection":
            assert corpus is not None
            assert beginning is not None
            return Toolbox(collection_tools(corpus, beginning, whole=search.get_document))
        return Toolbox([*web_tools(library, counter.text), file_tool(staged(home, task), task.files)])

    return make


def _beginning(home: Home) -> Callable[[str, int], str]:
    """Cuts a text to its first tokens under Qwen's tokenizer, as BrowseComp-Plus's own tool does."""
    tokenizer = None

    def cut(text: str, tokens: int) -> str:
        nonlocal tokenizer
        if len(text) <= tokens:
            return text
        tokenizer = tokenizer or load("qwen", home)
        head = text[: 24 * tokens]
        ends = tokenizer.ends(head)
        return head if len(ends) <= tokens else head[: ends[tokens - 1]]

    return cut
