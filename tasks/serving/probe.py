"""Is there a model behind an address? Found out by a real generation, since a health page of 200 can hide a hang."""

import time
from collections.abc import Callable
from typing import Any

import httpx

from tasks.errors import Fault, UserError
from tasks.hashing import sha256
from tasks.serving.chat import ChatReply, ChatRequest, Message, Outcome
from tasks.serving.endpoint import Endpoint, base_url
from tasks.serving.retrying import Patience

QUESTION = ChatRequest((Message("user", "Answer with one word: ready"),), max_tokens=1)
"""One generated token. Only probes ask for that few."""

SAID = {
    "/props": ("build_info", "model_alias", "model_ftype", "total_slots", "default_generation_settings.n_ctx"),
    "/server_info": (),
    "/get_server_info": (),
    "/version": (),
}
"""Pages on which servers describe themselves, with the fields kept (none: all that are short)."""


async def generate(endpoint: Endpoint) -> ChatReply:
    """One generated token of `endpoint`, which must be entered.

    Raises `Fault` when nothing usable answers in time, `UserError` when something that is no chat server answers.
    """
    reply = await endpoint.chat(QUESTION)
    if reply.finished:
        return reply
    hint = "start it, or name another with --endpoint"
    if reply.outcome is Outcome.TIMEOUT:
        raise Fault(
            f"The model server at {endpoint.url} accepts connections but generated no token within "
            f"{endpoint.deadline:g} s: restart it, or name another with --endpoint."
        )
    if reply.error and reply.error.startswith(("no connection", "connection lost")):
        raise Fault(f"No model server answers at {endpoint.url} ({_cause(reply)}): {hint}.")
    if reply.unusable:
        raise UserError(f"There is no chat endpoint at {endpoint.url} ({reply.error}): {hint}.")
    raise Fault(f"The model server at {endpoint.url} cannot generate ({reply.error}): {hint}.")


def _cause(reply: ChatReply) -> str:
    error = reply.error or ""
    return error[error.index("(") + 1 : error.rindex(")")] if "(" in error else error


async def probe(url: str, model: str, *, deadline: float = 60.0, window: int | None = None) -> dict[str, Any]:
    """Prove by one generated token that `url` serves chat, and return what the server says of itself.

    `window` is what the model specification promises; a server that reports a smaller one is refused. Raises as
    `generate` does.
    """
    started = time.monotonic()
    patience = Patience(attempts=1, lost=0)
    async with Endpoint(url, model, deadline=deadline, patience=patience) as endpoint:
        reply = await generate(endpoint)
    seconds = round(time.monotonic() - started, 3)
    facts = await describe(url)
    facts["first_token_s"] = seconds
    facts["reports_cached_tokens"] = reply.usage.cached_tokens is not None
    served = facts.get("window")
    if window and served and served < window:
        raise UserError(
            f"The server at {base_url(url)} has a window of {served} tokens where the model specification says "
            f"{window}: start it with a larger context, or lower the window of the specification."
        )
    return facts


async def wait(url: str, model: str, *, seconds: float, alive: Callable[[], bool]) -> dict[str, Any]:
    """Probe again and again until a token is generated; `Fault` after `seconds`, or once `alive()` is false."""
    import asyncio

    until = time.monotonic() + seconds
    while True:
        try:
            return await probe(url, model, deadline=max(1.0, until - time.monotonic()))
        except (Fault, UserError):
            if not alive() or time.monotonic() >= until:
                raise
        await asyncio.sleep(0.2)


async def describe(url: str) -> dict[str, Any]:
    """Facts that a server offers about itself: software, version, flags, served models, window. Never raises."""
    base = base_url(url)
    root = base.removesuffix("/v1")
    facts: dict[str, Any] = {}
    async with httpx.AsyncClient(timeout=5.0, trust_env=False) as client:
        listed = await _get(client, f"{base}/models")
        data = (listed or {}).get("data")
        models = [entry for entry in data if isinstance(entry, dict)] if isinstance(data, list) else []
        facts["models"] = [str(entry.get("id")) for entry in models]
        owners = {str(entry["owned_by"]) for entry in models if entry.get("owned_by") is not None}
        if owners:
            facts["software"] = ", ".join(sorted(owners))
        for path, fields in SAID.items():
            if path == "/get_server_info" and "server_info" in facts:
                continue  # its old name: SGLang says the same there
            page = await _get(client, f"{root}{path}")
            if page:
                facts[path.strip("/")] = _short(page, fields)
                if isinstance(page.get("chat_template"), str):
                    facts["chat_template_sha256"] = sha256(page["chat_template"])
                facts["window"] = _window(page) or facts.get("window")
        if facts.get("get_server_info", {}).get("router_manager"):
            facts["models"] = []  # SGLang's router lists paths, or "unknown", as servers come and go: no names
        for entry in models:
            facts["window"] = facts.get("window") or _window(entry)
    return facts


async def _get(client: httpx.AsyncClient, url: str) -> dict[str, Any] | None:
    try:
        response = await client.get(url)
        page = response.json() if response.status_code == 200 else None
    except (httpx.HTTPError, ValueError, RecursionError):
        return None
    return page if isinstance(page, dict) else None


def _short(page: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    if fields:
        found = {name: _at(page, name) for name in fields}
        return {name: value for name, value in found.items() if value is not None}
    return {name: value for name, value in page.items() if len(str(value)) <= 200}


def _at(page: Any, name: str) -> Any:
    for part in name.split("."):
        page = page.get(part) if isinstance(page, dict) else None
    return page


def _window(page: dict[str, Any]) -> int | None:
    """Window of one request: llama.cpp's slot, SGLang's context length, vLLM's and SGLang's model entry."""
    for name in ("default_generation_settings.n_ctx", "context_length", "max_model_len", "meta.n_ctx"):
        value = _at(page, name)
        if isinstance(value, int) and value > 0:
            return value
    return None
