"""The public web as a library: a search engine, and pages fetched and read under the rules of `tools`."""

from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from tasks.long_horizon.searching.engines import Engine
from tasks.long_horizon.searching.library import Hit, Page
from tasks.long_horizon.tools.extraction import text_of
from tasks.long_horizon.tools.fetching import Fetcher
from tasks.long_horizon.tools.toolbox import ToolFailed

KINDS = {
    "text/html": "html", "application/xhtml+xml": "html", "application/pdf": "pdf", "text/plain": "txt",
    "text/csv": "csv", "application/json": "json", "text/xml": "xml", "application/xml": "xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.ms-excel": "xls", "application/vnd.oasis.opendocument.spreadsheet": "ods",
}  # fmt: skip
"""Content types that can be read, each with the format that it means."""

STREAMS = frozenset(("application/octet-stream", "binary/octet-stream", "application/zip"))
"""Content types that say nothing: the document itself does."""


@dataclass
class Web:
    """Searches with `engine` and opens pages with `fetcher`."""

    engine: Engine
    fetcher: Fetcher

    async def search(self, query: str, most: int) -> list[Hit]:
        """What the search engine finds."""
        return await self.engine(query, most)

    async def open(self, link: str) -> Page:
        """The text of a page or document."""
        fetched = await self.fetcher.get(link.strip())
        kind = KINDS.get(fetched.kind) or ("txt" if fetched.kind.startswith("text/") else None)
        if kind is None and fetched.kind in STREAMS:
            kind = PurePosixPath(urlsplit(fetched.url).path).suffix.lstrip(".").lower()
        if kind is None:
            raise ToolFailed(f"{link[:200]} is {fetched.kind[:60]}, out of which no text can be taken")
        text = await text_of(fetched.body, kind, link[:200])
        return Page(fetched.url, text.partition("\n")[0][:200], text)
