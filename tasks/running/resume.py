"""What of a shard is done already: read from the snapshot and from the journal rows that are younger than it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from tasks.home import Home
from tasks.serving.chat import FINISHED, Outcome
from tasks.warehouse import snapshot

_TABLES = ("predictions", "model_calls", "memories")


@dataclass
class Done:
    """Finished work of some examples of one run."""

    replies: dict[str, str] = field(default_factory=dict)
    """Reply texts of finished requests, by request id: they are replayed, never sent again."""
    ended: dict[str, Outcome] = field(default_factory=dict)
    """How these ended: stop or length."""
    attempts: dict[str, int] = field(default_factory=dict)
    """Attempts made so far, by request id."""
    memories: set[tuple[str, int]] = field(default_factory=set)
    """Saved memories: example and position."""
    outcomes: dict[str, str] = field(default_factory=dict)
    """Outcomes of the examples that are not to be tried again."""
    again: dict[str, datetime] = field(default_factory=dict)
    """When the examples that are to be tried again were recorded: what is recorded of them now counts as later."""


def load(home: Home, run_id: str, example_ids: Sequence[str], retry: Collection[str] = ()) -> Done:
    """The finished work of these examples; predictions whose outcome is in `retry` count as not done.

    Of an example that is tried again, the call that decided its outcome is sent anew, even if it was finished (an
    answer cut off by the token limit); all others are replayed, those of a later try that was killed among them. Its
    memories are saved anew, as they may follow from another reply. Raises as `tasks.warehouse.snapshot.fresh` does.
    """
    done = Done()
    chosen = [run_id, list(example_ids)]
    again = done.again
    with snapshot.fresh(home, _TABLES) as con:
        found = con.execute(
            "SELECT example_id, outcome, recorded_at FROM predictions "
            "WHERE run_id = ? AND example_id IN (SELECT unnest(?))",
            chosen,
        )
        for example_id, outcome, recorded_at in found.fetchall():
            if outcome in retry:
                again[example_id] = recorded_at
            else:
                done.outcomes[example_id] = outcome
        open_ids = [example_id for example_id in example_ids if example_id not in done.outcomes]
        if not open_ids:
            return done
        chosen = [run_id, open_ids]
        calls = con.execute(
            "SELECT example_id, request_id, outcome, response, attempt, started_at FROM model_calls "
            "WHERE run_id = ? AND example_id IN (SELECT unnest(?)) ORDER BY started_at, attempt",
            chosen,
        ).fetchall()
        decided = {
            example_id: (request, attempt)
            for example_id, request, _, _, attempt, started_at in calls
            if example_id in again and started_at <= again[example_id]
        }
        for example_id, request, outcome, response, attempt, _ in calls:
            done.attempts[request] = max(attempt, done.attempts.get(request, 0))
            if outcome in FINISHED and decided.get(example_id) != (request, attempt):
                done.replies[request] = response or ""
                done.ended[request] = Outcome(outcome)
        saved = con.execute(
            "SELECT example_id, position FROM memories WHERE run_id = ? AND example_id IN (SELECT unnest(?))", chosen
        )
        done.memories = {(example_id, position) for example_id, position in saved.fetchall() if example_id not in again}
    return done
