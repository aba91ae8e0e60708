"""The typed messages that cross between HyMem's context spaces (section 3.2 of the paper), and nothing else does.

A directive goes down; `<results>` (equation 9) and `<return>` (equation 11) come back; the three memories
(equation 12) are injected. Each has one form as text, in which the spaces show it and read it.
"""

import re
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError


class Unreadable(ValueError):
    """A text is not the message that it should be; the message of the exception says what is missing."""


class Message(BaseModel):
    """Base of all messages that cross a boundary: unknown fields are refused, so nothing travels along unseen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Directive(Message):
    """A bounded piece of work for the executor (`<task>`) or for isolated reasoning (`<isoReason>`)."""

    text: str = Field(min_length=1)
    name: str | None = None
    """Short identifier of an isolated session; None for the executor."""

    def render(self) -> str:
        """As the planner wrote it."""
        if self.name is None:
            return f"<task>\n{self.text}\n</task>"
        return f"<isoReason>\n<description>{self.name}</description>\n<prompt>\n{self.text}\n</prompt>\n</isoReason>"


class Status(StrEnum):
    """How well an executor did what it was told."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAILURE = "failure"


class Results(Message):
    """What an executor returns (equation 9)."""

    findings: str = Field(min_length=1)
    evidence: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    status: Status = Status.SUCCESS
    gaps: tuple[str, ...] = ()

    def render(self) -> str:
        """The block that is appended to the history of the planner."""
        parts = [f"FINDINGS: {self.findings}", *_listed("EVIDENCE", self.evidence), *_listed("SOURCES", self.sources)]
        parts += [f"STATUS: {self.status}", *_listed("GAPS", self.gaps)]
        return "<results>\n" + "\n".join(parts) + "\n</results>"

    @classmethod
    def read(cls, text: str) -> "Results":
        """The message in the text of a `<results>` block.

        A block without labels is all findings, as the paper's own example is. Raises `Unreadable` for an empty one,
        or for a status that is none.
        """
        found = _labelled(text, ("FINDINGS", "EVIDENCE", "SOURCES", "STATUS", "GAPS"))
        if not found:
            found = {"FINDINGS": text.strip()}
        status = found.get("STATUS", "success").strip(" .*_`").lower()
        if status not in set(Status):
            raise Unreadable(f"STATUS must be one of {', '.join(Status)}")
        return _made(
            cls, findings=found.get("FINDINGS", "").strip(), evidence=_items(found.get("EVIDENCE")),
            sources=_items(found.get("SOURCES")), status=Status(status), gaps=_items(found.get("GAPS")),
        )  # fmt: skip


class Return(Message):
    """What isolated reasoning returns (equation 11)."""

    conclusion: str = Field(min_length=1)
    evidence: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    confidence: float = Field(ge=0, le=1)
    notes: tuple[str, ...] = ()
    """Assumptions and caveats."""

    def render(self) -> str:
        """The block that is appended to the history of the planner."""
        parts = [f"CONCLUSION: {self.conclusion}", *_listed("KEY EVIDENCE", self.evidence)]
        parts += [*_listed("SOURCES", self.sources), f"CONFIDENCE: {self.confidence:g}", *_listed("NOTES", self.notes)]
        return "<return>\n" + "\n".join(parts) + "\n</return>"

    @classmethod
    def read(cls, text: str) -> "Return":
        """The message in the text of a `<return>` block; raises `Unreadable` without conclusion or confidence."""
        found = _labelled(text, ("CONCLUSION", "KEY EVIDENCE", "SOURCES", "CONFIDENCE", "NOTES"))
        if not found.get("CONCLUSION", "").strip():
            raise Unreadable("CONCLUSION is missing")
        return _made(
            cls, conclusion=found["CONCLUSION"].strip(), evidence=_items(found.get("KEY EVIDENCE")),
            sources=_items(found.get("SOURCES")), confidence=confidence(found.get("CONFIDENCE", "")),
            notes=_items(found.get("NOTES")),
        )  # fmt: skip


class Event(Message):
    """A milestone within episode memory."""

    step: str
    description: str
    outcome: str


class Episode(Message):
    """Completed milestones, verified facts and important decisions."""

    task_description: str
    key_events: tuple[Event, ...] = ()
    current_progress: str


class Step(Message):
    """A planned step within working memory."""

    type: str
    description: str


class Working(Message):
    """The current objective, unresolved gaps and the plan for the next steps."""

    immediate_goal: str
    current_challenges: str
    active_hypotheses: tuple[str, ...] = ()
    next_actions: tuple[Step, ...] = ()


class Usage(Message):
    """What is known of one tool within tool memory."""

    tool_name: str
    call_count: int = Field(ge=0)
    effective_queries: tuple[str, ...] = ()


class Tools(Message):
    """Effective patterns of tool use, failed queries and caveats."""

    tools_used: tuple[Usage, ...] = ()
    derived_rules: tuple[str, ...] = ()
    useful_sources: tuple[str, ...] = ()


class Memories(Message):
    """The three rewritable memories (equation 12); None as long as nothing was folded."""

    episode: Episode | None = None
    working: Working | None = None
    tools: Tools | None = None

    def render(self) -> str:
        """All three, as planner and isolated reasoning get them (equation 14); empty where there are none."""
        named = (("episode_memory", self.episode), ("working_memory", self.working), ("tool_memory", self.tools))
        return "\n".join(_tagged(name, memory) for name, memory in named if memory is not None)

    def render_tools(self) -> str:
        """Tool memory alone, as the executor gets it (equation 14); empty where there is none."""
        return _tagged("tool_memory", self.tools) if self.tools is not None else ""


class Answer(Message):
    """The answer to the task."""

    text: str = Field(min_length=1)
    confidence: float | None = Field(None, ge=0, le=1)


def confidence(text: str) -> float:
    """A confidence from 0 to 1 as models write it: `0.8`, `80 %`. Raises `Unreadable` for anything else."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)\s*(%?)\.?", text.strip(" \t\n*_`"))
    value = float(found[1]) / (100 if found[2] else 1) if found else -1.0
    if not 0 <= value <= 1:
        raise Unreadable("CONFIDENCE must be a number from 0 to 1")
    return value


def _tagged(name: str, memory: Message) -> str:
    return f"<{name}>\n{memory.model_dump_json()}\n</{name}>"


def _listed(label: str, items: tuple[str, ...]) -> list[str]:
    return [f"{label}:", *(f"- {item}" for item in items)] if items else []


def _labelled(text: str, labels: tuple[str, ...]) -> dict[str, str]:
    """Text behind each label that begins a line; emphasis and list marks around labels are ignored."""
    names = "|".join(map(re.escape, labels))
    parts = re.split(rf"(?im)^[-*•#_ \t]*({names})(?:\*\*|__)?[ \t]*:(?:\*\*|__)?", text)
    return {label.upper(): body.strip() for label, body in zip(parts[1::2], parts[2::2], strict=True)}


def _items(text: str | None) -> tuple[str, ...]:
    """Items of a list, one a line, without bullets; a text without any is one item. `none` is no item."""
    lines = [re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", line).strip() for line in (text or "").splitlines()]
    return tuple(line for line in lines if line and line.strip("().").lower() not in ("none", "n/a", "-"))


def _made(kind: Any, **fields: Any) -> Any:
    try:
        return kind(**fields)
    except ValidationError as error:
        first = error.errors()[0]
        raise Unreadable(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
