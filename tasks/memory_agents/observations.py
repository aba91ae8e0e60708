"""What an agent is shown at each section, under each observation method (Table 1), whatever the agent.

* flat: the text of a fixed-length section.
* treeagent: three parts, apart by an empty line, of which only the section counts against the budget:
  `Location: <path>, children <i> to <j>`; the section (a fragment of a quoted string gets its quotation marks back);
  `Notes from earlier sections:` with the spans retrieved over residual links, if there are any.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tasks.sectioning.retrieval import retrieve
from tasks.tokens.tokenizer import Tokenizer

SECTIONING = {"flat": "flat", "treeagent": "tree"}
"""Observation method to the sectioning it reads."""

Remember = Callable[[int, str, str | None], None]
"""Records the memory after a section, with what was retrieved for it."""


@dataclass(frozen=True)
class Reading:
    """One section as it lies in the tables."""

    text: str
    path: str | None
    range: tuple[int, int] | None
    quote: str = ""
    """Quotation mark that a fragment of a split string gets back."""


class Observations:
    """The observations of one example, in order, positions from 1; keeps the memories that links lead to."""

    def __init__(
        self,
        method: str,
        problem: str,
        sections: Sequence[Reading],
        links: Mapping[int, Sequence[int]],
        tokenizer: Tokenizer,
        remember: Remember,
    ):
        self._method = method
        self._problem = problem
        self._sections = sections
        self._links = links
        self._tokenizer = tokenizer
        self._remember = remember
        self._saved: dict[int, str] = {}
        self._retrieved: str | None = None

    def __len__(self) -> int:
        return len(self._sections)

    def at(self, position: int) -> str:
        """The observation at a section. Retrieval reads memories saved before it (equation 16)."""
        section = self._sections[position - 1]
        if self._method == "flat":
            return section.text
        linked = [(source, self._saved[source]) for source in self._links.get(position, ()) if source in self._saved]
        self._retrieved = retrieve(self._problem, linked, self._tokenizer)
        parts = [f"Location: {located(section)}", f"{section.quote}{section.text}{section.quote}"]
        if self._retrieved:
            parts.append(f"Notes from earlier sections:\n{self._retrieved}")
        return "\n\n".join(parts)

    def save(self, position: int, memory: str) -> None:
        """Keep the memory after a section, where later sections find it."""
        self._saved[position] = memory
        self._remember(position, memory, self._retrieved)
        self._retrieved = None


def located(section: Reading) -> str:
    """The structural annotation a_t of a section (equation 13): its path, with the range of a sibling group."""
    if section.range is None:
        return str(section.path)
    return f"{section.path}, children {section.range[0]} to {section.range[1]}"
