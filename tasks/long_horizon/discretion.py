"""Shards of gated benchmarks: what a server says may hold the prompt, and must not get into a log."""

import re
from collections.abc import Sequence

from tasks.long_horizon.benchmarks.task import Task
from tasks.running.shard import Shard

QUOTED = re.compile(
    r"(\(?)(status \d+): .*|((?:not|instead of) JSON|no chat completion) \(.*", re.IGNORECASE | re.DOTALL
)
"""What the serving part says of a failed reply before it quotes it."""


class Discreet(Shard):
    """A shard whose reported failures leave out the words of the server."""

    def stop(self, sentence: str) -> None:
        """Stop with a sentence that names the status alone; table `model_calls` keeps the words."""
        said, mark, after = sentence.rpartition(": everything finished")
        own = QUOTED.sub(_named, said)
        super().stop(own + mark + after)


def _named(match: re.Match[str]) -> str:
    within = match[1] or (match[3] and "(" in match.string[: match.start()])
    return f"{match[1] or ''}{match[2] or match[3]}, whose words are in model_calls.error{')' if within else ''}"


def kind_of(tasks: Sequence[Task]) -> type[Shard]:
    """The kind of shard that the tasks need."""
    return Discreet if any(task.gated for task in tasks) else Shard
