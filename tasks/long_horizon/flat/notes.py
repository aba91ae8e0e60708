"""The memory of A-MEM (arXiv 2502.12110): notes with keywords, context and tags, which link and change each other.

Where the original compares embeddings, notes are found by BM25 here: no embedding model is at hand everywhere. As
there, what a note became through its neighbours is found only after the index has been rebuilt, every 100 evolutions.
"""

from dataclasses import dataclass, field

import tantivy
from pydantic import BaseModel, ConfigDict, Field

from tasks.long_horizon.searching.corpus import ANALYSIS, analysis


class Analysis(BaseModel):
    """What a model says of a new note."""

    model_config = ConfigDict(extra="ignore")
    keywords: list[str] = []
    context: str = ""
    tags: list[str] = []


class Evolution(BaseModel):
    """What a model decides about a new note and its neighbours."""

    model_config = ConfigDict(extra="ignore")
    should_evolve: bool = False
    actions: list[str] = []
    suggested_connections: list[int] = []
    tags_to_update: list[str] = []
    new_context_neighborhood: list[str] = Field([], alias="new_context_neighborhood")
    new_tags_neighborhood: list[list[str]] = []


@dataclass
class Note:
    """One note."""

    content: str
    keywords: list[str] = field(default_factory=list)
    context: str = ""
    tags: list[str] = field(default_factory=list)
    links: list[int] = field(default_factory=list)

    def render(self, number: int) -> str:
        """As prompts show it."""
        facts = [
            f"keywords: {', '.join(self.keywords)}" if self.keywords else "",
            f"context: {self.context}" if self.context else "",
            f"tags: {', '.join(self.tags)}" if self.tags else "",
        ]
        return "\n".join([f"[note {number}] {self.content}", *filter(None, facts)])

    def indexed(self) -> str:
        """What it is found by."""
        return " ".join([self.content, self.context, *self.keywords, *self.tags])


class Notes:
    """All notes of a task, numbered from 0."""

    def __init__(self, rebuild_after: int = 100):
        self.notes: list[Note] = []
        self.evolutions = 0
        self._rebuild_after = rebuild_after
        self._texts: list[str] = []

    def add(self, note: Note) -> int:
        """Keep a note and return its number."""
        self.notes.append(note)
        self._texts.append(note.indexed())
        return len(self.notes) - 1

    def evolve(self, number: int, neighbours: list[int], said: Evolution) -> None:
        """Change a note and its neighbours as a model decided; links that lead nowhere are left out."""
        note = self.notes[number]
        if not said.should_evolve:
            return
        if "strengthen" in said.actions:
            known = set(range(len(self.notes))) - {number}
            note.links += [link for link in said.suggested_connections if link in known and link not in note.links]
            note.tags = said.tags_to_update or note.tags
        if "update_neighbor" in said.actions:
            for place, neighbour in enumerate(neighbours):
                if place < len(said.new_tags_neighborhood):
                    self.notes[neighbour].tags = said.new_tags_neighborhood[place]
                if place < len(said.new_context_neighborhood):
                    self.notes[neighbour].context = said.new_context_neighborhood[place]
        self.evolutions += 1
        if self.evolutions % self._rebuild_after == 0:
            self._texts = [one.indexed() for one in self.notes]

    def nearest(self, query: str, most: int) -> list[int]:
        """Numbers of the notes that fit a query best, the best first."""
        schema = tantivy.SchemaBuilder().add_integer_field("number", stored=True).add_text_field(
            "text", tokenizer_name=ANALYSIS, index_option="freq").build()  # fmt: skip
        index = tantivy.Index(schema)
        index.register_tokenizer(ANALYSIS, analysis())
        writer = index.writer(15_000_000, 1)
        for number, text in enumerate(self._texts):
            writer.add_document(tantivy.Document(number=number, text=text))
        writer.commit()
        index.reload()
        terms = dict.fromkeys(analysis().analyze(query))
        if not terms or not self._texts:
            return []
        clauses = [(tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", term)) for term in terms]
        searcher = index.searcher()
        hits = searcher.search(tantivy.Query.boolean_query(clauses), most, count=False).hits
        ranked = [(-score, int(searcher.doc(address).get_first("number") or 0)) for score, address in hits]
        return [number for _, number in sorted(ranked)]

    def with_links(self, numbers: list[int], most: int) -> list[int]:
        """Notes and those that they link to, each once, the linked ones behind."""
        linked = [link for number in numbers for link in self.notes[number].links]
        return list(dict.fromkeys([*numbers, *linked[:most]]))
