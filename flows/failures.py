"""Failures that are meant for people are logged as one sentence; only unexpected ones keep their traceback."""

import logging

from tasks.errors import TreebenchError


class _OneSentence(logging.Filter):
    """Prefect logs each exception of a flow or task with its traceback; ours say all in their message."""

    def filter(self, record: logging.LogRecord) -> bool:
        exception = record.exc_info[1] if record.exc_info else None
        if isinstance(exception, TreebenchError):
            record.msg, record.args, record.exc_info = str(exception), (), None
        return True


def log_in_one_sentence() -> None:
    """Apply this to Prefect's flow-run and task-run loggers; safe to call again."""
    for name in ("prefect.flow_runs", "prefect.task_runs"):
        logger = logging.getLogger(name)
        if not any(isinstance(f, _OneSentence) for f in logger.filters):
            logger.addFilter(_OneSentence())
