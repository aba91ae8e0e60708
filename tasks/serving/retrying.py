"""When a failed attempt is made again: only where the server holds no half-done work for it.

* Never accepted (connection refused, 429) or refused as failed (5xx): again, after a growing pause or the pause
  that the server names.
* The server closed the connection instead of answering, or in the middle of the answer: its work for this request
  is over and the reply is lost, so it is asked again, but seldom: a proxy may have cut off work that goes on.
* Our own deadline passed: never, because the server may still be generating. The caller records a timeout.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Again(Enum):
    """Whether an attempt that failed may be made again."""

    NO = "no"
    REFUSED = "refused"
    BUSY = "busy"
    FAILED = "failed"
    LOST = "lost"


@dataclass(frozen=True)
class Patience:
    """How often and after which pauses (seconds) a request is made again."""

    attempts: int = 6
    lost: int = 2
    """Attempts made again after a connection was lost."""
    refused: int | None = None
    """Attempts after which a server that accepts no connection counts as gone; None for `attempts`."""
    gone: Callable[[], str | None] = lambda: None
    """Asked after each refused connection: why the server will not come back; None while it may."""
    first_pause: float = 0.5
    longest_pause: float = 30.0

    def pause(self, failures: int, again: Again, named: float | None = None) -> float | None:
        """Seconds to wait after the `failures`-th failure of this kind of a request; None: give up.

        `named` is the pause that the server asks for (Retry-After); at most `longest_pause` of it is honoured.
        """
        most = self.attempts if self.refused is None or again is not Again.REFUSED else self.refused
        if again is Again.NO or failures >= most or (again is Again.LOST and failures > self.lost):
            return None
        if named is not None:
            return min(named, self.longest_pause)
        return min(self.first_pause * 2 ** (failures - 1), self.longest_pause) * random.uniform(0.8, 1.2)
