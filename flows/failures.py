"""Failures that are meant for people are logged as one sentence, once; only unexpected ones keep their traceback."""

import errno
import logging
import re

import httpx

from tasks.errors import Fault, TreebenchError

_REPEATED = re.compile(
    r"Finished in state (Failed|Crashed)\(.*\b(UserError|Fault|Refused|Unreadable|OSError|PermissionError): ", re.DOTALL
)


class _OneSentence(logging.Filter):
    """Prefect logs an exception with its traceback and once more with its state, for the task and each flow above."""

    def filter(self, record: logging.LogRecord) -> bool:
        raised = exception = record.exc_info[1] if record.exc_info else None
        if isinstance(exception, httpx.TransportError) or str(exception).startswith("Failed to reach API"):
            exception = lost_api(exception) if isinstance(exception, Exception) else exception
        if isinstance(exception, OSError):
            exception = disk_fault(exception) or exception
        if isinstance(exception, TreebenchError):
            if getattr(raised, "treebench_logged", False):
                return False
            setattr(raised, "treebench_logged", True)  # noqa: B010 (an attribute that exceptions do not declare)
            record.msg, record.args, record.exc_info = str(exception), (), None
        return not _REPEATED.search(record.getMessage())


def log_in_one_sentence() -> None:
    """Apply this to Prefect's flow-run and task-run loggers; safe to call again."""
    for name in ("prefect.flow_runs", "prefect.task_runs"):
        logger = logging.getLogger(name)
        if not any(isinstance(f, _OneSentence) for f in logger.filters):
            logger.addFilter(_OneSentence())


def disk_fault(error: OSError) -> Fault | None:
    """What to tell when a disk is full or cannot be written; None for any other error of the system."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM):
        return None
    return Fault(
        f"{error.filename or 'A file'} cannot be written ({error.strerror}): make room, make it writable, or set "
        "TREEBENCH_HOME to another folder."
    )


def lost_api(error: Exception) -> Fault:
    """What to tell when Prefect's own requests to its server fail; requests to sources and models have other words."""
    return Fault(
        f"The Prefect server stopped answering ({error or type(error).__name__}): everything finished is kept, run "
        "the same command again."
    )
