"""What one command may spend, in tokens and in time; threads may share it."""

import threading
import time
from collections.abc import Callable


class Budget:
    """Counts what is spent from now on. Running out is no failure: the rest is done by the next command.

    `tokens` are prompt and generated tokens of answered calls, `seconds` wall-clock time; None is no limit. Calls in
    flight when it runs out may still end, so a little more may be spent.
    """

    def __init__(
        self, tokens: int | None = None, seconds: float | None = None, clock: Callable[[], float] = time.monotonic
    ):
        self._tokens = tokens
        self._seconds = seconds
        self._clock = clock
        self._began = clock()
        self._spent = 0
        self._lock = threading.Lock()

    def spend(self, tokens: int) -> None:
        """Count the tokens of an answered call."""
        with self._lock:
            self._spent += tokens

    @property
    def spent(self) -> int:
        """Tokens spent."""
        return self._spent

    def exceeded(self) -> str | None:
        """What has run out, as the first words of a sentence; None while there is something left."""
        if self._tokens is not None and self._spent >= self._tokens:
            return f"The limit of {self._tokens:,} tokens is reached ({self._spent:,} spent)"
        if self._seconds is not None and (passed := self._clock() - self._began) >= self._seconds:
            return f"The limit of {self._seconds:,.0f} s is reached ({passed:,.0f} s passed)"
        return None

    def seconds_left(self) -> float | None:
        """Seconds until the time runs out; None without a limit."""
        return None if self._seconds is None else max(0.0, self._seconds - (self._clock() - self._began))
