"""Strings of a Python file that is not run: constants of the module, and literals inside a function.

A formatted literal such as f"a {x} b" is read as the template "a {0} b", its slots numbered in their order.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tasks.errors import UserError


class Source:
    """One Python file. Raises `UserError` where it cannot be read or parsed."""

    def __init__(self, path: Path):
        self.path = path
        try:
            self._tree = ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError) as error:
            raise UserError(f"{path} cannot be read as Python ({error}): name an unchanged copy of it.") from error

    def constant(self, name: str) -> Any:
        """The value that the module assigns to `name` last; `UserError` where it has none that can be read."""
        return self._value(_assigned(self._tree.body, name), name)

    def local(self, function: str, name: str) -> Any:
        """The last value that can be read of those that a function assigns to its local `name`."""
        return self._value(_assigned(ast.walk(self._function(function)), name), name)

    def returned(self, function: str) -> Any:
        """The last value that can be read of those that a function returns."""
        found = [node.value for node in ast.walk(self._function(function)) if isinstance(node, ast.Return)]
        return self._value([value for value in found if value is not None], function)

    def literals(self, function: str) -> Iterator[str]:
        """All string literals within the functions of a name, formatted ones as templates."""
        for node in (node for found in self._functions(function) for node in ast.walk(found)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.JoinedStr):
                yield _template(node)

    def _function(self, name: str) -> ast.AST:
        return self._functions(name)[0]

    def _functions(self, name: str) -> list[ast.AST]:
        found: list[ast.AST] = [
            node
            for node in ast.walk(self._tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
        ]
        if not found:
            raise UserError(f"{self.path} has no function {name}: name an unchanged copy of the released file.")
        return found

    def _value(self, nodes: Sequence[ast.expr], name: str) -> Any:
        for node in reversed(nodes):
            try:
                return self._evaluated(node)
            except (ValueError, TypeError, KeyError, RecursionError, UserError):
                continue
        raise UserError(f"{self.path} has no {name} that can be read: name an unchanged copy of the released file.")

    def _evaluated(self, node: ast.expr) -> Any:
        """Literals, names of the module, sums of strings, and %-formatting; nothing is ever called."""
        if isinstance(node, ast.Name):
            return self._value(_assigned(self._tree.body, node.id), node.id)
        if isinstance(node, ast.Tuple):
            return tuple(map(self._evaluated, node.elts))
        if isinstance(node, ast.Dict):
            return {
                self._evaluated(key): self._evaluated(value)
                for key, value in zip(node.keys, node.values, strict=True)
                if key is not None
            }
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
            left, right = self._evaluated(node.left), self._evaluated(node.right)
            if isinstance(left, str):
                return left + right if isinstance(node.op, ast.Add) else left % right
        return ast.literal_eval(node)


def _assigned(nodes: Iterable[ast.AST], name: str) -> list[ast.expr]:
    """Everything that is assigned to a plain name."""
    return [
        node.value
        for node in nodes
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
    ]


def _template(node: ast.JoinedStr) -> str:
    parts: list[str] = []
    slots = 0
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value).replace("{", "{{").replace("}", "}}"))
        else:
            parts.append(f"{{{slots}}}")
            slots += 1
    return "".join(parts)
