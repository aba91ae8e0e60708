"""THREAD (NAACL 2025): a thread writes lines; a line may act, spawn a child thread, or end the thread.

A thread's prompt is the examples, what it is for, and what it wrote so far. After each completion its end decides:
a line break (what the cut end marker leaves behind) ends the thread; a last line that begins with `>` acts; anything
else spawns a child for that line, which sees the examples and its line, and not its parent's text. What a child prints
goes back into its parent's text. All threads share their variables, and 200 completions.

Stop strings are applied after a completion, not during it: the request of a chat endpoint here has none. The
answer is what the first thread prints last.
"""

from dataclasses import dataclass, field

from tasks.long_horizon.actions import ToolCall, without_thinking
from tasks.long_horizon.contexts import Space, Turn, Where, execution, instruction, planning, turn
from tasks.long_horizon.flat.thread_code import Variables, action, run, substituted
from tasks.long_horizon.frameworks import Framework
from tasks.long_horizon.messages import Unreadable
from tasks.long_horizon.prompts import slots
from tasks.long_horizon.session import Session
from tasks.serving.chat import Outcome

START = "#START#"
END = "#EN"
"""The end marker without its end, as it is cut off."""

GIVES = "=>"
BACK = "<="


@dataclass
class Threads:
    """What all threads of a task share."""

    session: Session
    variables: Variables = field(default_factory=dict)
    completions: int = 0
    threads: int = 0

    async def thread(self, context: str, depth: int) -> str | None:
        """Run a thread to its end; what it printed last, or None where the limits cut it off."""
        settings = self.session.settings
        self.threads += 1
        number, text, turns = self.threads, "", 0
        while True:
            if self.completions >= settings.thread_calls:
                return None
            self.completions += 1
            turns += 1
            where = Where(Space.THREAD, number, turns)
            prompt = self._prompt(context, text)
            reply = await self.session.ask(where, "agent", prompt)
            more = _cut(without_thinking(reply).removeprefix(START).lstrip("\n") if not text else reply)
            text += more
            status = _status(text, more)
            self.session.note(where, "agent", prompt, reply, {"end": "return"}.get(status, status))
            if status == "end":
                return run(text, self.variables)
            last = text.rstrip("\n").rpartition("\n")[2]
            if status == "action":
                observation = await self._act(where, last)
                text = f"{text.rstrip()} {GIVES}\n{observation}\n{BACK}\n"
            elif depth >= settings.thread_depth:
                return run(text, self.variables)
            else:
                run(text, self.variables)
                value = await self.thread(f"{substituted(last.strip(), self.variables)} {GIVES}", depth + 1)
                if self.completions >= settings.thread_calls:
                    return None
                text = f"{text.rstrip()} {GIVES}{_back(value)}" if value is not None else f"{text.rstrip()}\n"

    async def _act(self, where: Where, line: str) -> str:
        line = line.strip().removeprefix("#").strip().removeprefix(">").strip()
        try:
            name, arguments = action(substituted(line, self.variables), self.variables, self.session.toolbox.parameters)
        except Unreadable as error:
            return f"Nothing happens: {error}."
        seen = await self.session.use(where, ToolCall(name, arguments), self.session.task.question)
        return seen.text

    def _prompt(self, context: str, text: str) -> list[Turn]:
        """One user message: examples, the thread's purpose, what it wrote so far (the end, if long)."""
        examples = instruction(self.session.wording.fill("thread", tools=self.session.toolbox.described(
            self.session.wording)))  # fmt: skip
        written = text

        def prompt() -> list[Turn]:
            purpose = planning(f"Prompt: {context}\nResponse: {START}")
            return [turn("user", examples, purpose, execution(written))]

        while not self.session.fits("agent", prompt()) and len(written) > 200:
            written = written[len(written) // 4 :]
        return prompt()


async def solve(session: Session) -> str:
    """Solve a task with THREAD."""
    threads = Threads(session)
    answer = await threads.thread(session.question(), 1)
    if answer is None and threads.completions >= session.settings.thread_calls:
        raise session.failed(Outcome.BUDGET, f"no answer within {session.settings.thread_calls} completions")
    if not answer:
        raise session.failed(Outcome.PARSE_ERROR, "the first thread ended without printing an answer")
    return answer


def _cut(completion: str) -> str:
    """A completion up to the first stop string."""
    places = [place for place in (completion.find(GIVES), completion.find(END)) if place >= 0]
    return completion[: min(places)] if places else completion


def _status(text: str, more: str) -> str:
    """What the end of a thread's text means. An empty completion ends it: it would spawn for nothing for ever."""
    if text.endswith("\n") or not more.strip():
        return "end"
    last = text.rpartition("\n")[2].strip()
    return "action" if last.startswith((">", "# >")) and not last.endswith(BACK) else "spawn"


def _back(value: str) -> str:
    """A child's value as its parent sees it; one of several lines stands on its own."""
    return f"\n{value}\n{BACK}\n" if "\n" in value else f"{value}{BACK}\n"


FRAMEWORK = Framework("thread", 1, {"agent": "reply"}, slots(thread="tools"), solve)
