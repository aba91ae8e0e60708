"""The frameworks by name: each solves a task through its session and returns the raw answer."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from tasks.errors import UserError
from tasks.long_horizon.prompts import Slots
from tasks.long_horizon.session import Session


@dataclass(frozen=True)
class Framework:
    """One way of managing the context of a long task."""

    name: str
    version: int
    """Raise it when the same replies lead to other calls: runs of the old version are not resumed by the new one."""
    roles: Mapping[str, str]
    """Roles of its calls, each with the kind of its token limit: reply or auxiliary."""
    texts: Slots
    """Texts and slots of its prompt packs."""
    solve: Callable[[Session], Awaitable[str]]
    calls: str = "json"
    """How it calls tools where the run does not say."""
    tools: bool = True
    """Whether it has tools at all."""
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"full": {}})
    """Settings of its variants; `full` is the framework itself."""


NAMES = ("base", "react", "summary", "resum", "amem", "thread", "hymem")
"""Each is a module of this package, or a package with `framework.py`, that defines `FRAMEWORK`."""


def framework(name: str) -> Framework:
    """The framework called `name`; `UserError` where there is none."""
    if name not in NAMES:
        raise UserError(f"There is no framework {name!r}: choose {', '.join(NAMES)}.")
    place = "hymem.framework" if name == "hymem" else f"flat.{name}"
    return import_module(f"tasks.long_horizon.{place}").FRAMEWORK
