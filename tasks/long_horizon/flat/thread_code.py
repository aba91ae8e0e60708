"""The few statements that THREAD's threads are made of, evaluated without running any code.

The original executes every generated line as Python. Here a line is an assignment of a literal, of a variable or of an
f-string of variables, or a `print` of such values; anything else is text and does nothing.
"""

import ast
import re
import warnings
from typing import Any

from tasks.long_horizon.arguments import whole
from tasks.long_horizon.messages import Unreadable

Variables = dict[str, Any]
"""Variables of all threads of a task, by name."""

MOST = 100_000
"""Characters of a value at most."""

PLACES = 100
"""Places of a text that are filled at most."""


def substituted(text: str, variables: Variables) -> str:
    """A text with `{name}` replaced by the variables that are known, in a hundred places at most.

    All other braces stay as they are.
    """

    def value(match: re.Match[str]) -> str:
        return str(variables[match[1]])[:MOST] if match[1] in variables else match[0]

    return re.sub(r"\{([A-Za-z_]\w*)\}", value, text[:MOST], count=PLACES)[:MOST]


def run(text: str, variables: Variables) -> str | None:
    """Carry out the assignments of a thread's text; the value of its last `print`, or None without one."""
    printed = None
    for line in text.splitlines():
        try:
            statements = _parsed(line, "exec").body
        except Unreadable:
            continue
        for node in statements:
            try:
                if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                    variables[node.targets[0].id] = value_of(node.value, variables)
                elif _is_print(node):
                    call: Any = node
                    values = [value_of(argument, variables) for argument in call.value.args]
                    printed = " ".join(str(value) for value in values)[:MOST]
            except Unreadable:
                continue
    return printed


def action(line: str, variables: Variables, tools: dict[str, tuple[str, ...]]) -> tuple[str, dict[str, Any]]:
    """Tool and arguments of an action line, `name(value, argument=value)`. Raises `Unreadable`."""
    parsed = _parsed(line, "eval").body
    if not isinstance(parsed, ast.Call) or not isinstance(parsed.func, ast.Name):
        raise Unreadable("an action must be one call of a tool")
    name = parsed.func.id
    if name not in tools:
        raise Unreadable(f"there is no tool {name!r}: the tools are {', '.join(tools)}")
    if len(parsed.args) > len(tools[name]):
        raise Unreadable(f"{name} takes {', '.join(tools[name])}")
    arguments = dict(zip(tools[name], [value_of(one, variables) for one in parsed.args], strict=False))
    return name, arguments | {word.arg or "": value_of(word.value, variables) for word in parsed.keywords}


def value_of(node: ast.AST, variables: Variables) -> Any:
    """The value of a literal, a known variable, or an f-string of known variables. Raises `Unreadable`."""
    if isinstance(node, ast.Name):
        if node.id not in variables:
            raise Unreadable(f"there is no variable {node.id}")
        return variables[node.id]
    if isinstance(node, ast.JoinedStr):
        return whole("".join(_piece(piece, variables) for piece in node.values))[:MOST]
    try:
        found = ast.literal_eval(node)  # type: ignore[arg-type]
        repr(found)  # a number that Python does not write, such as a long hexadecimal one, is no value
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise Unreadable("a value must be a literal, a variable or an f-string of variables") from None
    return substituted(whole(found), variables) if isinstance(found, str) else found


def _parsed(line: str, mode: str) -> Any:
    """The syntax tree of a line; raises `Unreadable` where it has none. What Python warns of is not for a terminal."""
    with warnings.catch_warnings(action="ignore"):
        try:
            return ast.parse(line.strip(), mode=mode)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise Unreadable("an action must be one call of a tool") from None


def _piece(node: ast.AST, variables: Variables) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.FormattedValue) and node.format_spec is None:
        return str(value_of(node.value, variables))
    raise Unreadable("an f-string may hold names of variables")


def _is_print(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "print" and not node.value.keywords
    )  # fmt: skip
