"""The five shapes of thinking, and how a cut-off one is ended."""

import pytest

from tasks.memory_agents.thinking import after_thinking, closed, parts


@pytest.mark.parametrize(("reply", "memory"), [
    ("m", "m"), (" m ", " m "), ("", ""),  # none
    ("<think>so\nmany</think>\n\n m \n", "m"),  # both tags
    ("a</think> m ", "m"),  # the template opened it
    ("<think>a", "<think>a"),  # cut off while thinking: as released, all of it is kept
    ("<think>\n\n</think>\n\nm", "m"), ("<think></think>", ""),  # an empty block
    ("a</think>b</think>m", "m"),
])  # fmt: skip
def test_what_follows_the_last_closing_tag(reply: str, memory: str) -> None:
    assert after_thinking(reply) == memory


def test_parts_lose_nothing() -> None:
    assert parts("<think>a</think> b ") == ("<think>a</think>", " b ")
    assert parts("b") == (None, "b")


@pytest.mark.parametrize(("thinking", "ended"), [
    ("<think>a \n", "<think>a\nEND</think>"), ("<think>a</think>b \n", "<think>a</think>b \n"), ("", "\nEND</think>"),
])  # fmt: skip
def test_thinking_that_was_cut_off_is_ended(thinking: str, ended: str) -> None:
    assert closed(thinking, "\nEND</think>") == ended
