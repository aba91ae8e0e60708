"""The tools over a local corpus, engines over recorded answers, and long observations cut to what fits."""

import asyncio
import inspect
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.errors import Fault, UserError
from tasks.long_horizon import prompts
from tasks.long_horizon.searching.corpus import Corpus, Document, Shelf, build
from tasks.long_horizon.searching.engines import engine
from tasks.long_horizon.searching.library import Hit
from tasks.long_horizon.tools.collection_tools import collection_tools
from tasks.long_horizon.tools.passages import passages
from tasks.long_horizon.tools.toolbox import Toolbox, ToolFailed
from tasks.long_horizon.tools.web_tools import file_tool, web_tools

DOCUMENTS = [
    Document(
        "1", "https://a.example/lighthouse", "The lighthouse of Orve was built in 1871 by Ada Lund.", "Lighthouse"
    ),
    Document(
        "2", "https://a.example/harbour", "The harbour of Orve holds forty boats. It freezes in January.", "Harbour"
    ),
    Document("3", "https://a.example/lund", "Ada Lund, engineer, was born in Tarn. " * 40, "Ada Lund"),
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return build(tmp_path_factory.mktemp("corpus") / "index", DOCUMENTS, "k")


@pytest.fixture
def toolbox(corpus: Corpus) -> Toolbox:
    return Toolbox([*web_tools(Shelf(corpus), lambda text: len(text.split())), file_tool(None, ())])


def call(toolbox: Toolbox, name: str, **arguments: Any) -> Any:
    found = asyncio.run(toolbox.call(name, arguments))
    return found.value["tool_result"] if found.ok else found.value["error"]


def test_web_search_in_the_paper_s_form(toolbox: Toolbox) -> None:
    found = call(toolbox, "web_search", keywords="who built the lighthouse?")["organic"]
    assert found[0]["title"] == "Lighthouse"
    assert found[0]["link"] == "https://a.example/lighthouse"
    assert "1871" in found[0]["snippet"]


def test_web_parse_gives_what_fits_the_query(toolbox: Toolbox) -> None:
    assert "1871" in call(toolbox, "web_parse", link="https://a.example/lighthouse", query="built")["content"]
    assert call(toolbox, "web_parse", link="https://elsewhere.example/") == (
        "there is no page https://elsewhere.example/ here: open a link that a search gave"
    )


def test_batch_search_keeps_each_hit_once_and_drops_what_does_not_fit(toolbox: Toolbox) -> None:
    found = call(toolbox, "batch_search_and_filter", keyword="lighthouse Orve; harbour Orve; lighthouse")["organic"]
    assert sorted(hit["title"] for hit in found) == ["Harbour", "Lighthouse"]


def test_wrong_calls_are_sentences_that_say_what_is_right(toolbox: Toolbox) -> None:
    assert call(toolbox, "search_web", q="x") == (
        "there is no tool 'search_web': the tools are web_search, web_parse, batch_search_and_filter, parse_file"
    )
    assert call(toolbox, "web_search", q="x").endswith("its arguments are keywords")
    assert call(toolbox, "web_search", keywords=["x"]).endswith("its arguments are keywords")
    assert call(toolbox, "web_search", keywords="").startswith("web_search: keywords:")


def test_every_tool_has_a_description() -> None:
    from tasks.long_horizon.frameworks import framework

    wording = prompts.load("hymem", framework("hymem").texts)
    boxes = [
        Toolbox([*web_tools(None, len), file_tool(None, ())]),  # type: ignore[arg-type]
        Toolbox(collection_tools(None, lambda text, n: text, whole=True)),
    ]  # type: ignore[arg-type]
    lines = "\n".join(box.described(wording) for box in boxes).splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "- web_search(keywords)", "- web_parse(link, query)", "- batch_search_and_filter(keyword)",
        "- parse_file(file_path)", "- search(query)", "- get_document(docid)",
    ]  # fmt: skip


def test_collection_tools(corpus: Corpus) -> None:
    def beginning(text: str, tokens: int) -> str:
        return " ".join(text.split()[:tokens])

    toolbox = Toolbox(collection_tools(corpus, beginning, whole=True))
    found = asyncio.run(toolbox.call("search", {"query": "Ada Lund"}))
    documents = found.value["tool_result"]["documents"]
    assert {doc["docid"] for doc in documents} == {"1", "3"}
    assert found.documents == tuple(doc["docid"] for doc in documents)
    assert all(len(doc["snippet"].split()) <= 512 for doc in documents)
    assert documents == sorted(documents, key=lambda doc: -doc["score"])
    whole = call(toolbox, "get_document", docid=3)
    assert whole["text"] == DOCUMENTS[2].text
    assert call(toolbox, "get_document", docid="9") == "there is no document 9"
    assert Toolbox(collection_tools(corpus, beginning, whole=False)).names == ("search",)


def test_an_index_is_made_once_and_again_for_another_corpus(tmp_path: Path) -> None:
    def once() -> Iterator[Document]:
        yield DOCUMENTS[0]

    def never() -> Iterator[Document]:
        raise AssertionError("read again")
        yield

    folder = tmp_path / "index"
    assert build(folder, once(), "a").facts["documents"] == 1
    assert build(folder, never(), "a").facts["documents"] == 1
    assert build(folder, DOCUMENTS, "b").facts["documents"] == 3
    with pytest.raises(UserError, match="has no documents"):
        build(tmp_path / "none", [], "c")
    with pytest.raises(UserError, match="no search index"):
        Corpus(tmp_path / "none")
    assert not list(tmp_path.glob("*.partial"))


@pytest.mark.parametrize(("name", "content"), [
    ("corpus.json", b"{"), ("corpus.json", b"[1]"), ("corpus.json", b"5"), ("corpus.json", b"\xff"),
    ("index/meta.json", b"{"), ("index/*.store", b""), ("index/*.idx", b"x" * 100), ("index/*.term", None),
])  # fmt: skip
def test_an_index_that_cannot_be_opened_is_made_anew(tmp_path: Path, name: str, content: bytes | None) -> None:
    folder = tmp_path / "index"
    build(folder, DOCUMENTS, "k", threads=1)
    (path,) = folder.glob(name)
    path.unlink()
    if content is not None:
        path.write_bytes(content)
        with pytest.raises(Fault, match=r"is damaged: delete that folder, then run the command again"):
            Corpus(folder)
    assert build(folder, DOCUMENTS, "k", threads=1).find("harbour boats", 1)[0][1].docid == "2"


def test_damage_that_is_met_while_searching_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    build(folder, [Document(str(n), "", f"kiwi {n} " * 300) for n in range(200)], "k", threads=1)
    (path,) = (folder / "index").glob("*.store")
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(b"\xff" * (len(data) // 2) + data[len(data) // 2 :])
    opened = Corpus(folder)
    for use in (lambda: opened.find("kiwi 3", 5), lambda: opened.get("3")):
        with pytest.raises(Fault, match="is damaged: delete that folder"):
            use()


def test_an_index_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> Iterator[Document]:
        yield DOCUMENTS[0]
        raise OSError(28, "No space left on device")

    from tasks.errors import Fault

    with pytest.raises(Fault, match="No space left"):
        build(tmp_path / "index", broken(), "a")
    assert list(tmp_path.iterdir()) == []


def test_bm25_ranks_as_its_formula_does(tmp_path: Path) -> None:
    """An independent computation with k1 = 1.2, b = 0.75 and Lucene's idf, over words without stems or stop words."""
    import math
    import random

    chance = random.Random(3)
    vocabulary = "kiwi mango grape lemon melon peach".split()
    texts = [" ".join(chance.choices(vocabulary, k=chance.randint(3, 30))) for _ in range(40)]
    made = build(tmp_path / "i", [Document(str(n), "", text) for n, text in enumerate(texts)], "k", threads=1)
    split = [text.split() for text in texts]
    mean = sum(map(len, split)) / len(split)

    def score(words: list[str], query: list[str]) -> float:
        total = 0.0
        for term in query:
            df = sum(term in one for one in split)
            tf = words.count(term)
            idf = math.log(1 + (len(split) - df + 0.5) / (df + 0.5))
            total += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(words) / mean))
        return total

    query = ["kiwi", "lemon"]
    expected = {str(n): score(words, query) for n, words in enumerate(split)}
    for found, document in made.find("kiwi lemon", 40):
        assert found == pytest.approx(expected[document.docid], rel=0.02)  # lengths are kept in one byte


class Recorded(BaseHTTPRequestHandler):
    """Answers as SearXNG and Serper do, or not."""

    seen: list[dict] = []  # noqa: RUF012

    def log_message(self, *args: object) -> None:
        pass

    def answer(self, status: int, body: Any) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        self.seen.append({"path": self.path})
        hit = {"title": "T\n1", "url": "https://x.example", "content": "about  it", "engine": "e", "score": 1.0}
        if "none" in self.path:
            self.answer(200, {"query": "none"})
        elif "busy" in self.path:
            self.answer(429, b"")
        else:
            self.answer(200, {"query": "q", "results": [hit] * 3})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append({"asked": asked, "key": self.headers["X-API-KEY"]})
        self.answer(200, {"organic": [{"title": "G", "link": "https://g.example", "snippet": "s", "position": 1}]})


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), Recorded)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_address[1]}"
    made.shutdown()


def test_searxng(server: str) -> None:
    search = engine("searxng", server + "/")
    assert asyncio.run(search("a & b", 2)) == [Hit("T 1", "https://x.example", "about it")] * 2
    assert Recorded.seen[-1]["path"] == "/search?q=a+%26+b&format=json"
    with pytest.raises(ToolFailed, match="unknown form"):
        asyncio.run(search("none", 2))
    with pytest.raises(ToolFailed, match="status 429"):
        asyncio.run(search("busy", 2))


def test_serper(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERPER_API_KEY", "k")
    assert asyncio.run(engine("serper", server)("q", 7)) == [Hit("G", "https://g.example", "s")]
    assert Recorded.seen[-1] == {"asked": {"q": "q", "num": 7}, "key": "k"}


def test_ddgs(monkeypatch: pytest.MonkeyPatch) -> None:
    import ddgs
    from ddgs.ddgs import DDGS

    assert {"timeout"} <= set(inspect.signature(DDGS.__init__).parameters)
    assert {"query"} <= set(inspect.signature(DDGS.text).parameters)

    class Found:
        def __init__(self, timeout: int):
            pass

        def text(self, query: str, max_results: int) -> list[dict[str, str]]:
            return [{"title": "D", "href": "https://d.example", "body": "b"}] * (3 // (query != "fail"))

    monkeypatch.setattr(ddgs, "DDGS", Found)
    assert asyncio.run(engine("ddgs")("q", 2)) == [Hit("D", "https://d.example", "b")] * 2
    with pytest.raises(ToolFailed, match=r"the search failed \(ZeroDivisionError\)"):
        asyncio.run(engine("ddgs")("fail", 2))


def test_engines_say_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SERPER_API_KEY", raising=False)
    for name, said in (("searxng", "set --search-url"), ("serper", "SERPER_API_KEY"), ("bing", "choose corpus")):
        with pytest.raises(UserError, match=said):
            engine(name)


def test_an_unreachable_engine_is_a_sentence() -> None:
    with pytest.raises(ToolFailed, match="the search failed"):
        asyncio.run(engine("searxng", "http://127.0.0.1:9")("q", 1))


def words(text: str) -> int:
    return len(text.split())


def test_passages_keep_what_fits_in_order() -> None:
    filler = "\n".join("nothing of interest here at all " * 20 for _ in range(60))
    text = f"{filler}\nThe bridge opened in 1904.\n{filler}\nThe bridge architect was Ada Lund.\n{filler}"
    found = passages(text, "When did the bridge open, and who was its architect?", 300, words)
    assert words(found) <= 300
    assert found.index("1904") < found.index("Ada Lund")
    assert "[...]" in found
    assert "characters are shown" in found


def test_passages_of_a_text_that_says_nothing_about_it_are_its_beginning() -> None:
    text = "\n".join(f"line {n} of a text" for n in range(1000))
    assert passages(text, "zebra", 100, words).startswith("line 0 of a text\nline 1")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=6000), st.text(max_size=30), st.integers(60, 400))
def test_passages_never_exceed_the_limit_by_more_than_a_passage(text: str, query: str, limit: int) -> None:
    found = passages(text, query, limit, len)
    assert found == text or len(found) <= limit + 8
