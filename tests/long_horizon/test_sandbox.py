"""Code of an agent: it can call tools and compute; it tries to do more."""

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from tasks.home import PROJECT
from tasks.long_horizon.tools.sandbox import sandbox


def run(*blocks: str, seconds: float = 5.0, log: list | None = None) -> list[str]:
    """What each block printed, all in one room."""

    async def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if log is not None:
            log.append((name, arguments))
        return {"tool_result": {"organic": [{"title": "T", "snippet": "S", **arguments}]}}

    async def work() -> list[str]:
        parameters: dict[str, Sequence[str]] = {"web_search": ["keywords"], "parse_file": ["file_path"]}
        async with sandbox(parameters, processes=1, seconds=seconds) as made:
            room = made()
            return [await room.run(block, call) for block in blocks]

    return asyncio.run(work())


def test_the_example_of_the_paper() -> None:
    source = (
        'result = await web_search("machine learning papers 2023")\n'
        'for item in result["tool_result"]["organic"][:5]:\n'
        "    print(f\"- {item['title']}: {item['snippet'][:100]}\")"
    )
    assert run(source) == ["- T: S"]


def test_variables_last_and_calls_are_in_order() -> None:
    log: list = []
    blocks = ["a = await web_search('one')", "b = await web_search(keywords='two')\nlen(a)",
              "import asyncio\nx, y = await asyncio.gather(web_search('three'), web_search('four'))"]  # fmt: skip
    assert run(*blocks, log=log) == ["(no output)", "1", "(no output)"]
    assert [arguments["keywords"] for _, arguments in log] == ["one", "two", "three", "four"]


@pytest.mark.parametrize("source", [
    "import os\nos.system('id')", "import subprocess", "import socket", "import ctypes", "open('/etc/passwd').read()",
    "open('x', 'w').write('x')", "import pathlib\npathlib.Path('/etc/passwd').read_text()",
    "import os\nprint(os.environ)", "import os\nos.listdir('/')", "__import__('os')",
    "().__class__.__bases__[0].__subclasses__()", "web_search.__globals__", "import tasks", "import httpx",
    "exec(\"import socket\")", "import urllib.request", "breakpoint()", "import sys\nsys.modules['os'].system('id')",
    "nothing()", "def f(:", "1/0", "raise SystemExit", "input()",
])  # fmt: skip
def test_what_it_cannot_do_is_one_line(source: str) -> None:
    (said,) = run(source)
    assert said.startswith("Error: ")
    assert "\n" not in said
    assert "root:" not in said


@pytest.mark.parametrize("source", ["while True: pass", "def f(): return f()\nf()", "x = 'a' * 10**11",
                                    "[0] * 10**11", "print('a' * 10**7)", "10**10**9",
                                    "x = []\nwhile True: x.append('a' * 10**6)"])  # fmt: skip
def test_what_would_exhaust_the_machine_ends(source: str) -> None:
    said = run(source, "print('still here')", seconds=1.0)
    assert said[0].splitlines()[-1].startswith("Error: ")
    assert said[1] == "still here"


@pytest.mark.parametrize("source", ["10**5000", "x = []\nfor n in range(100_000): x = [x]\nx", "'a' * 10**8"],
                         ids=lambda source: source[:6])  # fmt: skip
def test_a_last_value_that_python_does_not_write_is_said_to_be_one(source: str) -> None:
    said, after = run(source, "1")
    assert len(said) <= 1_000_000
    assert said.startswith(("Error: ", "'aaa"))
    assert after == "1"


def test_variables_that_would_fill_our_memory_are_not_kept() -> None:
    said = run("a = 1", "b = 'x' * 50_000_000", "print(a)\nb", "c = 'x' * 50_000_000\n1/0", "print(a)")
    assert said[1] == "Error: the variables take more than 16 MB: they are not kept, keep less"
    assert said[2].splitlines()[0] == "1"
    assert "NameError" in said[2]
    assert ["16 MB" in said[3], "ZeroDivisionError" in said[3]] == [True, True]
    assert said[4] == "1"


def test_a_block_makes_a_hundred_calls_at_most() -> None:
    log: list = []
    (said,) = run("for n in range(1000):\n    await web_search(str(n))", log=log)
    assert said == "Error: RuntimeError: more than 100 tool calls in a block"
    assert len(log) == 100


def test_clock_and_chance_are_the_same_each_time() -> None:
    source = "import random, datetime, time\nprint(random.random(), datetime.datetime.now(), time.sleep(1000))"
    assert run(source) == run(source)


def test_more_rooms_than_interpreters_do_not_wait_for_each_other_for_ever() -> None:
    async def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0.01)
        return {}

    async def work() -> list[str]:
        async with sandbox({"web_search": ["keywords"]}, processes=2) as made:
            rooms = [made() for _ in range(8)]
            return await asyncio.gather(*(room.run("await web_search('x')\nprint(1)", call) for room in rooms))

    assert asyncio.run(asyncio.wait_for(work(), 60)) == ["1"] * 8


def test_python_ends_well_after_a_block_that_ran_out_of_time() -> None:
    code = "from tests.long_horizon.test_sandbox import run\nprint(run('while True: pass', seconds=0.3))"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, "TimeoutError" in done.stdout) == (0, True)
