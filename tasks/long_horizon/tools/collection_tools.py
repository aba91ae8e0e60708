"""The tools of BrowseComp-Plus: search over its corpus, and get_document where a run has it."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tasks.long_horizon.searching.corpus import Corpus
from tasks.long_horizon.tools.toolbox import Tool, ToolFailed, ToolResult

DOCUMENTS = 5
SNIPPET_TOKENS = 512


class Query(BaseModel):
    """Arguments of search."""

    model_config = ConfigDict(extra="forbid")
    query: str = Field(min_length=1, max_length=10_000)


class Docid(BaseModel):
    """Arguments of get_document."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)
    docid: str = Field(min_length=1, max_length=200)


def collection_tools(corpus: Corpus, beginning: Callable[[str, int], str], *, whole: bool) -> list[Tool]:
    """search, and with `whole` get_document too. `beginning` cuts a text to its first so many tokens."""

    async def search(given: Query) -> ToolResult:
        found = corpus.find(given.query, DOCUMENTS)
        documents = [
            {"docid": doc.docid, "score": round(score, 4), "snippet": beginning(doc.text, SNIPPET_TOKENS)}
            for score, doc in found
        ]
        raw = sum(len(doc.text) for _, doc in found)
        return ToolResult({"tool_result": {"documents": documents}}, True, raw, tuple(d.docid for _, d in found))

    async def get_document(given: Docid) -> ToolResult:
        found = corpus.get(given.docid)
        if found is None:
            raise ToolFailed(f"there is no document {given.docid}")
        value = {"docid": found.docid, "text": found.text}
        return ToolResult({"tool_result": value}, True, len(found.text), (found.docid,))

    tools = [Tool("search", Query, search, _show)]
    if whole:
        tools.append(Tool("get_document", Docid, get_document, lambda value: f"[{value['docid']}]\n{value['text']}"))
    return tools


def _show(value: dict[str, Any]) -> str:
    found = [f"[{doc['docid']}] score {doc['score']}\n{doc['snippet']}" for doc in value["documents"]]
    return "\n\n".join(found) or "No results."
