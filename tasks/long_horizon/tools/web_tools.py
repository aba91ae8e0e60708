"""The executor's tools of the paper: web_search, web_parse, batch_search_and_filter and parse_file."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tasks.long_horizon.searching.library import Hit, Library
from tasks.long_horizon.tools import files
from tasks.long_horizon.tools.extraction import text_of
from tasks.long_horizon.tools.passages import passages, words
from tasks.long_horizon.tools.toolbox import Tool, ToolFailed, ToolResult

HITS = 10
"""Results of a search."""

KEYWORDS = 5
"""Searches that one batch makes at most."""

PAGE_CHARACTERS = 20_000
"""Of a page, the parts that fit the query best."""

FILE_CHARACTERS = 400_000
"""Of a file, its beginning; code may want all of it."""


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Keywords(_Arguments):
    """Arguments of web_search."""

    keywords: str = Field(min_length=1, max_length=1000)


class Link(_Arguments):
    """Arguments of web_parse."""

    link: str = Field(min_length=1, max_length=4000)
    query: str = ""


class Keyword(_Arguments):
    """Arguments of batch_search_and_filter."""

    keyword: str = Field(min_length=1, max_length=2000)


class FilePath(_Arguments):
    """Arguments of parse_file."""

    file_path: str = Field(min_length=1, max_length=1000)


def web_tools(library: Library, count: Callable[[str], int]) -> list[Tool]:
    """Tools over the web or what stands in for it; `count` counts tokens."""

    async def web_search(given: Keywords) -> ToolResult:
        return _hits(await library.search(given.keywords, HITS))

    async def web_parse(given: Link) -> ToolResult:
        page = await library.open(given.link)
        content = passages(page.text, given.query, PAGE_CHARACTERS, len)
        value = {"title": page.title, "link": page.link, "content": content}
        return ToolResult({"tool_result": value}, True, len(page.text), (page.link,))

    async def batch(given: Keyword) -> ToolResult:
        asked = [part.strip() for part in given.keyword.split(";") if part.strip()][:KEYWORDS]
        found: dict[str, Hit] = {}
        raw = 0
        for keyword in asked:
            for hit in await library.search(keyword, HITS):
                raw += len(hit.snippet)
                if set(words(f"{hit.title} {hit.snippet}")) & set(words(keyword)):
                    found.setdefault(_plain(hit), hit)
        result = _hits(list(found.values()))
        return ToolResult(result.value, True, raw, result.documents)

    return [
        Tool("web_search", Keywords, web_search, _show_hits),
        Tool("web_parse", Link, web_parse, lambda value: f"{value['title']}\n{value['link']}\n\n{value['content']}"),
        Tool("batch_search_and_filter", Keyword, batch, _show_hits),
    ]


def file_tool(folder: Path | None, names: Sequence[str]) -> Tool:
    """parse_file over the files `names` in the folder of one task; whatever else lies there is not for agents."""

    async def parse_file(given: FilePath) -> ToolResult:
        if folder is not None and str(PurePosixPath(given.file_path)) not in names:
            raise ToolFailed(f"there is no attached file {given.file_path[:100]!r}: there is {', '.join(names)}")
        data = files.read(folder, given.file_path)
        kind = PurePosixPath(given.file_path).suffix.lstrip(".").lower()
        text = await text_of(data, kind, given.file_path[:100])
        if not text.strip():
            raise ToolFailed(f"{given.file_path[:100]} holds no text")
        value = {"content": text[:FILE_CHARACTERS]}
        return ToolResult({"tool_result": value}, True, len(text), (given.file_path,))

    return Tool("parse_file", FilePath, parse_file, lambda value: value["content"])


def _hits(hits: Sequence[Hit]) -> ToolResult:
    organic = [{"title": hit.title, "link": hit.link, "snippet": hit.snippet} for hit in hits]
    raw = sum(len(hit.title) + len(hit.snippet) for hit in hits)
    return ToolResult({"tool_result": {"organic": organic}}, True, raw, tuple(hit.link for hit in hits))


def _show_hits(value: dict[str, Any]) -> str:
    lines = [f"{n}. {hit['title']}\n{hit['link']}\n{hit['snippet']}" for n, hit in enumerate(value["organic"], start=1)]
    return "\n\n".join(lines) or "No results."


def _plain(hit: Hit) -> str:
    """What makes two hits the same: the address without scheme and trailing slash."""
    return re.sub(r"^https?://(www\.)?|[/#?]+$", "", hit.link.lower())
