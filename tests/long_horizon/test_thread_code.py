"""The restricted evaluator of THREAD: values, prints, and nothing that runs."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.long_horizon.flat.thread_code import action, run, substituted, value_of
from tasks.long_horizon.messages import Unreadable

TOOLS = {"web_search": ("keywords",), "web_parse": ("link", "query")}


def test_assignments_and_prints() -> None:
    variables: dict = {}
    assert (
        run('a = 3\nb = [1, "x"]\nc = f"{a} of {b}"\nsome text\nprint(a)\nprint(c, a)', variables) == "3 of [1, 'x'] 3"
    )
    assert variables == {"a": 3, "b": [1, "x"], "c": "3 of [1, 'x']"}
    assert run("print('{a} and {unknown}')", variables) == "3 and {unknown}"
    assert run("nothing here", variables) is None


@pytest.mark.parametrize("line", [
    "x = open('/etc/passwd').read()", "x = __import__('os')", "import os", "x = (lambda: 1)()", "x = [y for y in [1]]",
    "x = a.__class__", "x = 1 + 1", "x = 9**9**9", "x, y = 1, 2", "x = f'{a.b}'", "x = f'{a!r:>9999999999}'",
    "exec('x = 1')", "x = unknown", "x: int = 1", "def x(): pass", "print(open('/etc/passwd'))", "x = 'a' * 10**9",
])  # fmt: skip
def test_everything_else_does_nothing(line: str) -> None:
    variables = {"a": "A"}
    assert run(line, variables) is None
    assert variables == {"a": "A"}


def test_actions() -> None:
    assert action('web_search("a b")', {}, TOOLS) == ("web_search", {"keywords": "a b"})
    assert action('web_parse(page, query=f"{n}?")', {"page": "L", "n": 1}, TOOLS) == (
        "web_parse", {"link": "L", "query": "1?"})  # fmt: skip
    for wrong in (
        "web_search(",
        "os.system('id')",
        "web_search('a', 'b')",
        "eval('1')",
        "web_search(open('x'))",
        "x = 1",
    ):
        with pytest.raises(Unreadable):
            action(wrong, {}, TOOLS)


@pytest.mark.parametrize("line", ["x = 0x" + "f" * 90_000, "x = [0x" + "f" * 90_000 + "]", "x = '\\ud800'",
                                  "x = f'\\ud800'"], ids=lambda line: line[:9])  # fmt: skip
def test_values_that_cannot_be_written_do_not_reach_a_text(line: str) -> None:
    variables: dict = {}
    said = run(f"{line}\nprint(x, '{{x}}')", variables)
    assert said is None or said.encode() == "\ufffd \ufffd".encode()
    substituted("{x}", variables).encode()
    with pytest.raises(Unreadable):
        action("web_search(0x" + "f" * 90_000 + ")", {}, TOOLS)


def test_lines_that_python_warns_of_say_nothing_on_a_terminal(recwarn: pytest.WarningsRecorder) -> None:
    assert run("x = 0xffor 1\nprint('\\d')", {}) == "\\d"
    assert not recwarn.list


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists, max_leaves=8))
def test_literals_are_what_python_says(value: object) -> None:
    assert value_of(ast.parse(repr(value), mode="eval").body, {}) == value


@given(st.text(max_size=50))
def test_any_text_is_harmless(text: str) -> None:
    run(text, {})
    substituted(text, {"a": 1})
