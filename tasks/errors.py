"""The two kinds of failure that a person sees: one sentence, no traceback."""


class TreebenchError(Exception):
    """A failure with a message for the person at the keyboard.

    The message is one or two plain sentences: what is wrong, the id of the thing, the next command.
    """

    exit_status = 1


class UserError(TreebenchError):
    """The request cannot be carried out as made: a wrong parameter, file or set-up (exit status 2)."""

    exit_status = 2


class Fault(TreebenchError):
    """Something broke that the request did not cause: disk full, a dead server (exit status 1)."""

    exit_status = 1
