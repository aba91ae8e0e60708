"""A chat server that stands in for a model: deterministic, countable, and faulty on demand.

    python tests/chat_server.py --port 0 --log requests.jsonl --delay 0.05 --fault 500:first=2

prints one line of JSON with its URL and serves until it is killed. Every request is written to the log twice,
when it arrives and when it has been answered, so a test can count calls even across kill -9 of the client.

Replies depend on the prompt alone. A prompt with a `<section>` gets a memory: the old memory and the lines of the
section that share words with the problem. Any other prompt gets the value of the line that shares most of them.

Faults (`--fault`, repeatable, or POST /control with a list of them) are described in `chat_faults.py`.

It also stands in for `python -m sglang.launch_server`: it takes that program's flags, reports them at /server_info,
loads as slowly as told, and can misbehave in its first starts only (`--starts FILE --healthy-from 2`).
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # it is started as a program

from tests import chat_faults


def sha256(value: Any) -> str:
    """Hash over canonical JSON; of the messages it equals `prompt_sha256` in the table model_calls."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@dataclass
class State:
    """What the server shares between its threads."""

    model: str
    delay: float
    slots: int
    window: int | None
    log: Path | None
    count: Any
    router: bool
    faults: list[chat_faults.Fault] = field(default_factory=list)
    flags: dict[str, str] = field(default_factory=dict)
    numbers: Counter = field(default_factory=Counter)
    busy: int = 0
    most_busy: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.room = threading.Semaphore(self.slots)

    def write(self, row: dict) -> None:
        if self.log:
            line = json.dumps({**row, "at": time.time()}) + "\n"
            with self.lock, self.log.open("a") as file:
                file.write(line)

    def arrived(self, prompt: str) -> tuple[int, chat_faults.Fault | None]:
        with self.lock:
            self.numbers["received"] += 1
            self.busy += 1
            self.most_busy = max(self.most_busy, self.busy)
            number = self.numbers["received"]
            return number, next((fault for fault in self.faults if fault.strikes(number, prompt)), None)

    def left(self) -> None:
        with self.lock:
            self.busy -= 1


def words(text: str) -> set[str]:
    return {word for word in re.findall(r"[a-z0-9]+", text.lower()) if len(word) > 3}


def between(text: str, tag: str) -> str:
    found = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
    return found.group(1).strip() if found else ""


def reply_to(messages: list[dict], max_tokens: int) -> tuple[str, bool]:
    """The text for a prompt and whether it was cut at `max_tokens` words."""
    prompt = messages[-1]["content"]
    wanted = words(between(prompt, "problem"))
    if "<section>" in prompt:
        lines = [*between(prompt, "memory").splitlines(), *between(prompt, "section").splitlines()]
        kept = [line.strip() for line in lines if words(line) & wanted] or [f"nothing yet {sha256(messages)[:8]}"]
        text = "\n".join(dict.fromkeys(kept))
    else:
        lines = [line for line in between(prompt, "memory").splitlines() if ":" in line]
        best = max(lines, key=lambda line: len(words(line) & wanted), default="")
        text = best.rpartition(":")[2].strip(' ,"') or sha256(messages)[:8]
    parts = re.findall(r"\S+\s*", text)
    return "".join(parts[:max_tokens]).rstrip(), len(parts) > max_tokens


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: State

    def log_message(self, *args: Any) -> None:
        pass

    def send(self, status: int, body: Any, headers: dict | None = None, kind: str = "application/json") -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        state = self.state
        if self.path == "/v1/models":
            meta = {"n_ctx": state.window} if state.window else {}
            self.send(200, {"object": "list", "data": [{"id": state.model, "object": "model", "meta": meta}]})
        elif self.path == "/props" and state.window:
            props = {"default_generation_settings": {"n_ctx": state.window}, "total_slots": state.slots}
            self.send(200, {**props, "model_alias": state.model, "build_info": "stand-in"})
        elif self.path == "/health":
            self.send(200, {"status": "ok"})
        elif self.path == "/server_info" and state.flags and not state.router:
            self.send(200, {"version": "stand-in", **state.flags})
        elif self.path == "/get_server_info" and state.router:
            self.send(200, {"router_manager": True, "routers_count": 1, **state.flags})
        elif self.path == "/stats":
            with state.lock:
                self.send(200, {**state.numbers, "busy": state.busy, "most_busy": state.most_busy})
        else:
            self.send(404, {"error": {"message": "File Not Found", "code": 404}})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/control":
            self.state.faults = [chat_faults.Fault.parse(text) for text in body["faults"]]
            self.send(200, {})
        elif self.path == "/v1/chat/completions":
            body.setdefault("max_tokens", body.get("max_completion_tokens"))  # as SGLang's router names it
            number, fault = self.state.arrived(body["messages"][-1]["content"])
            try:
                self.chat(body, number, fault.kind if fault else None)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
            finally:
                self.state.left()
        else:
            self.send(404, {"error": {"message": "File Not Found", "code": 404}})

    def chat(self, body: dict, number: int, fault: str | None) -> None:
        state = self.state
        seen = {"number": number, "request": sha256(body), "prompt_sha256": sha256(body["messages"])}
        seen |= {"fault": fault, "probe": body["max_tokens"] == 1}
        state.write({"event": "received", **seen})
        if misbehave := chat_faults.instead(fault):
            return misbehave(self)
        with state.room:
            time.sleep(2 if fault == "slow" else state.delay)
        answer = json.dumps(self.answer(body, fault)).encode()
        if fault == "latin1":
            answer = answer.replace(b'"content": "', b'"content": "caf\xe9 ')
        if fault not in chat_faults.SPOILT:
            # Noted before it is sent: whoever has the answer finds it in the log.
            state.write({"event": "answered", **seen})
            with state.lock:
                state.numbers["answered"] += 1
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if fault == "plain" else "application/json")
        if fault in ("badgzip", "bomb"):
            self.send_header("Content-Encoding", "gzip")
            answer = gzip.compress(answer) if fault == "bomb" else answer
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        if fault == "drip":
            for at in range(len(answer)):
                self.wfile.write(answer[at : at + 1])
                time.sleep(0.05)
            return None
        if fault == "half":
            self.wfile.write(answer[: len(answer) // 2])
            self.close_connection = True
            return None
        self.wfile.write(answer)
        return None

    def answer(self, body: dict, fault: str | None) -> dict:
        text, cut = reply_to(body["messages"], body["max_tokens"])
        text = chat_faults.text(fault, text)
        reason = {"length": "length", "abort": "abort"}.get(fault or "", "length" if cut else "stop")
        reply: dict[str, Any] = {"object": "chat.completion", "model": self.state.model}
        reply["choices"] = [{"index": 0, "finish_reason": reason, "message": chat_faults.message(fault, text)}]
        if self.state.count:
            prompt = self.state.count(body["messages"], body.get("chat_template_kwargs", {}))
            reply["usage"] = {
                "prompt_tokens": prompt + (fault == "miscount"),
                "completion_tokens": len(text.split()),
                "prompt_tokens_details": {"cached_tokens": prompt // 2},
            }
        if fault and fault.startswith("usage="):
            reply["usage"] = json.loads(fault.removeprefix("usage="))
        return reply


class Server(ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True


def counter(model: str | None) -> Any:
    """Counts prompt tokens as the endpoint of the model specification would; None without one."""
    if model is None:
        return None
    from tasks.home import home
    from tasks.running.counting import prompt_counter
    from tasks.serving.chat import Message
    from tasks.serving.models import model_spec

    count = prompt_counter(model_spec(model), home())
    return lambda messages, arguments: count([Message(**message) for message in messages], arguments)


def served(specification: str | None) -> str:
    """Served model name of a model specification."""
    if specification is None:
        return "stand-in"
    from tasks.serving.models import model_spec

    return model_spec(specification).model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, help="file that every request is noted in, as JSON lines")
    parser.add_argument("--model", help="served model name; by default that of --count-as, or stand-in")
    parser.add_argument("--count-as", help="model specification whose tokenizer and template count the usage")
    parser.add_argument("--prompt-tokens", type=int, help="report this many prompt tokens for any prompt")
    parser.add_argument("--window", type=int, help="context window reported")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds that each answer takes")
    parser.add_argument("--slots", type=int, default=256, help="answers worked on at a time")
    parser.add_argument("--fault", action="append", default=[], help="fault, as described above")
    parser.add_argument("--load", type=float, default=0.0, help="seconds before it listens")
    parser.add_argument("--starts", type=Path, help="file that each start is noted in, with its process id")
    parser.add_argument("--healthy-from", type=int, default=10**9, help="start from which it has no faults")
    parser.add_argument("--worker", action="store_true", help="start a worker process that outlives this one")
    parser.add_argument("--router", action="store_true", help="say of itself what SGLang's router says")
    parser.add_argument("--served-model-name", dest="model")
    given, sglang = parser.parse_known_args()
    if given.worker:
        worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        print("worker", worker.pid, file=sys.stderr, flush=True)
    if given.starts:
        with given.starts.open("a") as file:
            file.write(f"{os.getpid()} {os.environ.get('CUDA_VISIBLE_DEVICES', '')}\n")
        if len(given.starts.read_text().splitlines()) >= given.healthy_from:
            given.fault = []
    time.sleep(given.load)
    faults = [chat_faults.Fault.parse(text) for text in given.fault]
    count = counter(given.count_as) if given.prompt_tokens is None else lambda *prompt: given.prompt_tokens
    pairs = zip(sglang, [*sglang[1:], ""], strict=False)
    flags = {flag[2:].replace("-", "_"): value for flag, value in pairs if flag.startswith("--")}
    Handler.state = State(
        given.model or served(given.count_as),
        given.delay,
        given.slots,
        given.window,
        given.log,
        count,
        given.router,
        faults,
        flags,
    )
    server = Server(("127.0.0.1", given.port), Handler)
    print(json.dumps({"url": f"http://127.0.0.1:{server.server_address[1]}/v1"}), flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
