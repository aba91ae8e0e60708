"""The stand-in chat server with the replies of a model that can plan, call tools and judge.

    python tests/long_horizon/model_server.py [arguments of tests/chat_server.py]

Replies depend on the prompt alone: an agent searches for its question, opens or reads what it found, and answers with
the question's first capitalised words; HyMem plans three searches and one isolated session first.
"""

import json
import re
from contextlib import AbstractContextManager
from pathlib import Path

from tests import chat_server
from tests.stand_in import StandIn, stand_in

MEMORIES = {
    "episode": {"task_description": "answer", "key_events": [], "current_progress": "some"},
    "working": {"immediate_goal": "find", "current_challenges": "none", "active_hypotheses": [], "next_actions": []},
    "tool": {"tools_used": [], "derived_rules": ["search"], "useful_sources": []},
}


def reply_to(messages: list[dict], max_tokens: int) -> tuple[str, bool]:
    """The reply to a prompt, and that it was not cut."""
    text = "\n".join(message["content"] for message in messages)
    return _reply(text, len(messages)), False


def _reply(text: str, length: int) -> str:
    if text.startswith("You plan"):
        turn = int(re.findall(r"Turn (\d+) of", text)[-1])
        if "last turn" in text or turn > 4:
            return "<think>enough</think><answer>Nils Lundqvist</answer> <confidence>0.7</confidence>"
        if turn == 2 and "isoReason" in text:
            return "<isoReason><description>check it</description><prompt>Is it so?</prompt></isoReason>"
        return f"<think>turn {turn}</think><task>Search for Mount Brae, step {turn}</task>"
    if text.startswith("You carry out one task"):
        return _call(text) if length == 2 and "last turn" not in text else (
            "<results>\nFINDINGS: Nils Lundqvist\nSOURCES:\n- mount-brae\nSTATUS: success\n</results>")  # fmt: skip
    if text.startswith("You analyse"):
        return "<return>\nCONCLUSION: yes\nCONFIDENCE: 0.8\n</return>"
    if text.startswith("You keep the"):
        return json.dumps(MEMORIES[text.split()[3]])
    if text.startswith("You answer a question"):
        done = text.count("</tool_response>") >= 2 or "last turn" in text
        return "<think>ok</think><answer>Nils Lundqvist</answer>" if done else _call(text)
    if text.startswith("Answer the question"):
        return "<answer>Nils Lundqvist</answer>"
    if text.startswith("Decide whether"):
        expected = re.search(r"Expected answer: (.*)", text)
        response = re.search(r"Response: (.*)", text)
        assert expected
        assert response
        return "Correct" if expected[1] == response[1] else "Incorrect"
    return "a fact"


def _call(text: str) -> str:
    if '"name": "tool name"' in text:
        tool, name = ("search", "query") if "- search(" in text else ("web_search", "keywords")
        call = {"name": tool, "arguments": {name: "highest mountain first climbed"}}
        return f"<think>look</think>\n<tool_call>\n{json.dumps(call)}\n</tool_call>"
    tool = "search" if "- search(" in text else "web_search"
    return f"<code>\nfound = await {tool}('highest mountain first climbed')\nprint(found)\n</code>"


def model_server(folder: Path, *arguments: str, log: str = "requests.jsonl") -> AbstractContextManager[StandIn]:
    """Such a server in a process of its own, counting as the embedded model does; ended on leaving."""
    return stand_in(folder, "--count-as", "embedded", *arguments, log=log, program=Path(__file__))


if __name__ == "__main__":
    chat_server.reply_to = reply_to
    chat_server.main()
