"""What search tools are built on: something that can be searched, and whose documents can be opened."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Hit:
    """One result of a search."""

    title: str
    link: str
    snippet: str
    score: float | None = None


@dataclass(frozen=True)
class Page:
    """An opened document."""

    link: str
    title: str
    text: str


class Library(Protocol):
    """A local corpus, or the web behind a search engine."""

    async def search(self, query: str, most: int) -> list[Hit]:
        """The best hits, at most `most`; raises `ToolFailed` where the search cannot be made."""
        ...

    async def open(self, link: str) -> Page:
        """The document at `link`; raises `ToolFailed` where there is none."""
        ...
