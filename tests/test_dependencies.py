"""What the code imports is what pyproject.toml names, and the other way round."""

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions

from tasks.home import PROJECT

DECLARED = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
OURS = {"flows", "tasks"}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def names(requirements: list[str]) -> set[str]:
    return {normal(re.split(r"[<>=\[; ]", requirement)[0]) for requirement in requirements}


@cache
def imported() -> dict[str, set[str]]:
    """Third-party modules that the code imports, each with the distributions that may bring it."""
    found: set[str] = set()
    for folder in OURS:
        for path in (PROJECT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ImportFrom) and not node.level:
                    found.add(str(node.module).partition(".")[0])
                elif isinstance(node, ast.Import):
                    found |= {alias.name.partition(".")[0] for alias in node.names}
    brought_by = packages_distributions()
    return {
        module: {normal(module), *map(normal, brought_by.get(module, []))}
        for module in found - OURS - sys.stdlib_module_names
    }


def test_every_import_is_a_dependency():
    extras = DECLARED["optional-dependencies"]
    declared = names([*DECLARED["dependencies"], *extras["local"], *extras["web"]])
    assert not {module: by for module, by in imported().items() if not by & declared}


def test_every_dependency_is_imported():
    assert not names(DECLARED["dependencies"]) - set().union(*imported().values())
