"""Replies of models that think first: where the thinking ends, and how it is kept within a budget.

Thinking comes in five shapes: none at all; between both tags; with the closing tag alone, because the chat template
wrote the opening one; with the opening tag alone, because the token limit cut it off; as an empty block.
"""

from typing import NamedTuple

CLOSE = "</think>"


class Parts(NamedTuple):
    """A reply taken apart at its last closing tag."""

    thinking: str | None
    """What stands before the tag, itself included; None where there is no closing tag."""
    rest: str
    """What follows it, as it stands; the whole reply where there is none."""


def parts(reply: str) -> Parts:
    """The reply taken apart at its last `</think>`."""
    before, closed, rest = reply.rpartition(CLOSE)
    return Parts(before + closed, rest) if closed else Parts(None, reply)


def after_thinking(reply: str) -> str:
    """What follows the last `</think>`, stripped; the whole reply unchanged where there is none."""
    thinking, rest = parts(reply)
    return reply if thinking is None else rest.strip()


def closed(thinking: str, time_is_up: str) -> str:
    """Thinking that has ended: one that the limit cut off is ended by `time_is_up`, which holds the closing tag."""
    return thinking if CLOSE in thinking else thinking.rstrip() + time_is_up
