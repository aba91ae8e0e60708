"""Reads the one action in a reply: strictly, so that what is not understood is asked for again and counted.

Tags are those of the paper's prompts. Reasoning in `<think>` is cut away first, but for `<to_memory>`, which the
planner's prompt allows inside it. Where several actions stand in a reply, the first counts or the reply is refused,
as the run says (the paper leaves it open).
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from tasks.long_horizon.arguments import NAME, recordable, whole
from tasks.long_horizon.messages import Answer, Directive, Results, Return, Unreadable, confidence

Several = Literal["first", "refuse"]


@dataclass(frozen=True)
class Fold:
    """The planner asks for its memories to be rewritten."""


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool, as a JSON object in `<tool_call>`."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Code:
    """Python that calls tools, in `<code>`."""

    source: str


Action = Directive | Fold | Answer | Results | Return | ToolCall | Code


def without_thinking(reply: str) -> str:
    """A reply without its reasoning: both tags, the closing one alone, or an opening one that nothing closes."""
    return _divided(reply)[1]


def thinking(reply: str) -> str:
    """The reasoning of a reply: what `without_thinking` cuts away, without its tags."""
    return _divided(reply)[0]


def planner_action(
    reply: str, *, isolated: bool = True, fold: bool = True, several: Several = "first"
) -> Action:  # fmt: skip
    """One of equation 6; without `isolated`, `<isoReason>` is no action, nor without `fold` a fold.

    An action after the reasoning counts before a fold that is asked for in it. Raises `Unreadable`.
    """
    readers: dict[str, Reader] = {"task": _directive}
    if fold:
        readers |= {"to_memory": _fold, "fold": _fold}
    readers["answer"] = _answer
    if isolated:
        readers["isoReason"] = _isolated
    try:
        return _one(without_thinking(reply), readers, several)
    except Unreadable:
        if fold and re.search(r"<(to_memory|fold)\s*/?>", thinking(reply), re.IGNORECASE):
            return Fold()
        raise


def executor_action(reply: str, style: Literal["json", "code"], *, several: Several = "first") -> Action:
    """A tool call in the style of the run, or `<results>`. Raises `Unreadable`."""
    call: dict[str, Reader] = {"code": _code} if style == "code" else {"tool_call": _tool_call}
    return _one(without_thinking(reply), {**call, "results": _results}, several)


def isolated_action(reply: str, *, several: Several = "first") -> Action:
    """`<task>` or `<return>`. Raises `Unreadable`."""
    return _one(without_thinking(reply), {"task": _directive, "return": _return}, several)


def flat_action(reply: str, style: Literal["json", "code"], *, several: Several = "first") -> Action:
    """A tool call or an answer of an agent with one context; a tool call wins over an answer. Raises `Unreadable`."""
    text = without_thinking(reply)
    call: dict[str, Reader] = {"code": _code} if style == "code" else {"tool_call": _tool_call}
    if any(re.search(rf"<{tag}>", text, re.IGNORECASE) for tag in call):
        return _one(text, call, several)
    return _one(text, {"answer": _answer}, several)


def tagged(text: str, tag: str) -> str | None:
    """Text of the last block `<tag>...</tag>`, stripped; None where there is none."""
    found, start = None, -1
    for mark in re.finditer(rf"<(/?){tag}>", text, re.IGNORECASE):
        if not mark[1]:
            start = mark.end()
        elif start >= 0:
            found, start = text[start : mark.start()].strip(), -1
    return found


def _divided(reply: str) -> tuple[str, str]:
    """Reasoning and the rest, in one pass: replies are as long as a model likes, and tags as many."""
    thoughts: list[str] = []
    rest: list[str] = []
    position, within = 0, False
    for mark in re.finditer(r"<(/?)think>", reply, re.IGNORECASE):
        if within and not mark[1]:
            continue
        piece = reply[position : mark.start()]
        if mark[1]:
            thoughts += [piece] if within else [*rest, piece]
            rest = rest if within else []
        else:
            rest.append(piece)
        position, within = mark.end(), not mark[1]
    (thoughts if within else rest).append(reply[position:])
    return "\n".join(filter(None, map(str.strip, thoughts))), "".join(rest).strip()


Reader = Callable[[str, str], Action]
"""Makes the action of a block's text; the second argument is what follows the block."""


def _one(text: str, readers: dict[str, Reader], several: Several) -> Action:
    names = {name.lower(): name for name in readers}
    opening = re.compile(rf"<({'|'.join(names)})\s*(/?)>", re.IGNORECASE)
    found: list[tuple[str, str, str]] = []
    position = 0
    while match := opening.search(text, position):
        name = names[match[1].lower()]
        if readers[name] is _fold:
            found.append((name, "", ""))
            position = match.end()
            continue
        end = re.compile(rf"</{name}>", re.IGNORECASE).search(text, match.end())
        if match[2] or end is None:
            if not found:
                raise Unreadable(f"<{name}> is not closed by </{name}>")
            break
        found.append((name, text[match.end() : end.start()].strip(), text[end.end() :]))
        position = end.end()
    if not found:
        raise Unreadable(f"there is no {_either([f'<{name}>' for name in readers if name != 'fold'])} in the reply")
    if len(found) > 1 and several == "refuse":
        raise Unreadable(f"there are {len(found)} actions in the reply where one is wanted")
    name, body, rest = found[0]
    return readers[name](body, rest)


def _directive(body: str, rest: str) -> Directive:
    if not body:
        raise Unreadable("<task> is empty")
    return Directive(text=body)


def _isolated(body: str, rest: str) -> Directive:
    # The paper's case study writes the objective straight into the tag, its prompt in <prompt>.
    prompt = tagged(body, "prompt") if "<prompt>" in body else body.rpartition("</description>")[2]
    if not prompt or not prompt.strip():
        raise Unreadable("<isoReason> has no <prompt>")
    return Directive(text=prompt.strip(), name=tagged(body, "description") or " ".join(prompt.split()[:5]))


def _fold(body: str, rest: str) -> Fold:
    return Fold()


def _answer(body: str, rest: str) -> Answer:
    if not body:
        raise Unreadable("<answer> is empty")
    said = tagged(rest, "confidence")
    return Answer(text=body, confidence=confidence(said) if said else None)


def _results(body: str, rest: str) -> Results:
    if not body:
        raise Unreadable("<results> is empty")
    return Results.read(body)


def _return(body: str, rest: str) -> Return:
    return Return.read(body)


def _code(body: str, rest: str) -> Code:
    source = re.sub(r"^```\w*\n|\n?```$", "", body)
    if not source.strip():
        raise Unreadable("<code> is empty")
    return Code(source)


def _tool_call(body: str, rest: str) -> ToolCall:
    try:
        call = json.loads(re.sub(r"^```\w*\n|\n?```$", "", body))
    except (ValueError, RecursionError):
        raise Unreadable("<tool_call> does not hold valid JSON") from None
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        raise Unreadable('<tool_call> must hold an object with "name" and "arguments"')
    arguments = call.get("arguments", {})
    if not isinstance(arguments, dict):
        raise Unreadable('"arguments" of <tool_call> must be an object')
    fit = recordable(arguments)
    if fit is None:
        raise Unreadable('"arguments" of <tool_call> must hold texts and numbers')
    return ToolCall(whole(call["name"])[:NAME], fit)


def read_json(reply: str, kind: Any) -> Any:
    """A pydantic model `kind` from the JSON object that the reply is, or holds. Raises `Unreadable`."""
    text = re.sub(r"^```\w*\n|\n?```$", "", without_thinking(reply))
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise Unreadable("there is no JSON object in the reply")
    try:
        return kind.model_validate_json(text[start : end + 1])
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise Unreadable(f"{where + ': ' if where else ''}{first['msg']}") from None


def _either(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
