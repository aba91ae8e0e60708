import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tasks.hashing import content_id
from tasks.running.calls import call_id, prompt_sha256, request_id, written
from tasks.serving.chat import ChatRequest, Message
from tests.chat_server import sha256

REQUEST = ChatRequest((Message("user", "päper"),), max_tokens=64, seed=42)


def test_ids_are_the_same_on_every_machine() -> None:
    assert request_id("r", "e", "memory", 3, REQUEST) == "87982aa82f90cac08c91ea4373c91ca7"
    assert call_id("x", 1) == "59402b0471b497c05ad760c869c511f9"


def test_everything_asked_is_part_of_the_id() -> None:
    changed = [
        ("r2", "e", "memory", 3, REQUEST), ("r", "e2", "memory", 3, REQUEST), ("r", "e", "answer", 3, REQUEST),
        ("r", "e", "memory", 4, REQUEST), ("r", "e", "memory", 3, replace(REQUEST, max_tokens=65)),
        ("r", "e", "memory", 3, replace(REQUEST, temperature=0.7)),
        ("r", "e", "memory", 3, replace(REQUEST, top_p=0.9)),
        ("r", "e", "memory", 3, replace(REQUEST, seed=None)),
        ("r", "e", "memory", 3, replace(REQUEST, messages=(Message("system", "päper"),))),
        ("r", "e", "memory", 3, replace(REQUEST, arguments={"enable_thinking": False})),
    ]  # fmt: skip
    ids = {request_id(*parts) for parts in [("r", "e", "memory", 3, REQUEST), *changed]}
    assert len(ids) == len(changed) + 1


@given(st.lists(st.tuples(st.sampled_from(["user", "system"]), st.text(max_size=20)), max_size=3))
def test_the_stand_in_server_names_prompts_as_the_database_does(messages: list[tuple[str, str]]) -> None:
    plain = [{"role": role, "content": content} for role, content in messages]
    assert prompt_sha256([Message(role, content) for role, content in messages]) == sha256(plain)


TEXTS = st.text(st.characters(codec=None), max_size=20) | st.text(st.characters(max_codepoint=0x7F))
"""Half characters and control characters among them."""


@given(
    st.lists(st.tuples(st.sampled_from(["user", "system", "assistant"]), TEXTS), min_size=1, max_size=3),
    st.none() | st.integers(0, 2**31),
    st.floats(0, 2),
    st.dictionaries(st.text(max_size=5), st.booleans() | st.integers() | st.text(max_size=5), max_size=3),
    TEXTS,
)
def test_the_id_is_the_content_id_of_place_and_body(
    messages: list[tuple[str, str]], seed: int | None, temperature: float, arguments: dict, role: str
) -> None:
    sent = tuple(Message(role, content) for role, content in messages)
    request = ChatRequest(sent, 64, temperature=temperature, seed=seed, arguments=arguments)
    expected = content_id("r", "e", role, 3, request.body(""))
    assert request_id("r", "e", role, 3, request) == expected
    assert request_id("r", "e", role, 3, request, written(sent)) == expected
    assert prompt_sha256(sent) == prompt_sha256(written(sent))


def test_every_character_of_ascii_is_written_as_json_writes_it() -> None:
    text = "".join(map(chr, range(128)))
    assert written([Message("user", text)]).decode() == json.dumps(
        [{"content": text, "role": "user"}], separators=(",", ":")
    )
