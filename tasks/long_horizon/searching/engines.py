"""Web search engines: SearXNG, metasearch without a key (ddgs), and Google through Serper, which needs one.

Each gives hits for keywords. A failure is a sentence for the model, not an exception for the run: the web has them.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from typing import Any

import httpx

from tasks.errors import UserError
from tasks.long_horizon.searching.library import Hit
from tasks.long_horizon.tools.toolbox import ToolFailed

Engine = Callable[[str, int], Awaitable[list[Hit]]]
"""The best hits for keywords, at most so many."""

SERPER = "https://google.serper.dev/search"
SERPER_KEY = "SERPER_API_KEY"
SECONDS = 30.0
NAMES = ("searxng", "ddgs", "serper")


def engine(name: str, url: str | None = None) -> Engine:
    """The engine `name`; `url` is the address of a SearXNG instance. Raises `UserError` where something is missing."""
    if name == "searxng":
        if not url:
            raise UserError("Search back end searxng needs the address of an instance: set --search-url.")
        return _searxng(url)
    if name == "ddgs":
        if find_spec("ddgs") is None:
            raise UserError("Search back end ddgs is not installed: install it with `pip install 'treebench[web]'`.")
        return _ddgs
    if name == "serper":
        key = os.environ.get(SERPER_KEY)
        if not key:
            raise UserError(f"Search back end serper needs a key: set the environment variable {SERPER_KEY}.")
        return _serper(key, url or SERPER)
    raise UserError(f"There is no search back end {name!r}: choose corpus, {', '.join(NAMES)}.")


def _searxng(url: str) -> Engine:
    """An instance whose settings allow the JSON format."""
    address = url.rstrip("/").removesuffix("/search") + "/search"

    async def search(query: str, most: int) -> list[Hit]:
        found = await _asked("GET", address, params={"q": query, "format": "json"})
        return [_hit(entry, "title", "url", "content") for entry in _list(found, "results")[:most]]

    return search


def _serper(key: str, url: str) -> Engine:
    async def search(query: str, most: int) -> list[Hit]:
        found = await _asked("POST", url, json={"q": query, "num": most}, headers={"X-API-KEY": key})
        return [_hit(entry, "title", "link", "snippet") for entry in _list(found, "organic")[:most]]

    return search


async def _ddgs(query: str, most: int) -> list[Hit]:
    def ask() -> list[dict[str, Any]]:
        from ddgs import DDGS

        return DDGS(timeout=int(SECONDS)).text(query, max_results=most)

    try:
        found = await asyncio.to_thread(ask)
    except Exception as error:  # its exceptions have no base that says more
        raise ToolFailed(f"the search failed ({type(error).__name__})") from None
    return [_hit(entry, "title", "href", "body") for entry in found[:most]]


async def _asked(method: str, url: str, **what: Any) -> Any:
    try:
        async with httpx.AsyncClient(timeout=SECONDS) as client:
            response = await client.request(method, url, **what)
            response.raise_for_status()
            return response.json()
    except httpx.HTTPStatusError as error:
        raise ToolFailed(f"the search failed with status {error.response.status_code}") from None
    except (httpx.HTTPError, ValueError) as error:
        raise ToolFailed(f"the search failed ({type(error).__name__})") from None


def _list(found: Any, name: str) -> list[dict[str, Any]]:
    entries = found.get(name) if isinstance(found, dict) else None
    if not isinstance(entries, list):
        raise ToolFailed("the search engine answered in an unknown form")
    return [entry for entry in entries if isinstance(entry, dict)]


def _hit(entry: dict[str, Any], title: str, link: str, snippet: str) -> Hit:
    def text(name: str) -> str:
        return " ".join(str(entry.get(name) or "").split())

    return Hit(text(title), text(link), text(snippet))
