"""What a failed flow logs: one sentence where it is meant for people, the traceback where it is not."""

import errno
import logging
from datetime import datetime

import pytest

from flows import doctor, failures
from tasks.collecting.archives import Unreadable
from tasks.collecting.client import Refused
from tasks.errors import Fault, UserError
from tasks.home import Home
from tasks.serving import opening
from tasks.warehouse import steps
from tasks.warehouse.ingest import sync
from tasks.warehouse.journal import Journal
from tasks.warehouse.snapshot import rows


def logged(error: Exception, caplog: pytest.LogCaptureFixture) -> list[str]:
    """What stands in the log when Prefect logs `error`, and then the state that it led to."""
    logger = logging.Logger("a flow run")
    logger.addFilter(failures._OneSentence())
    logger.addHandler(caplog.handler)
    try:
        raise error
    except Exception:
        logger.error("Encountered exception during execution: %r", error, exc_info=True)
    state = f"Flow run encountered an exception: {type(error).__name__}: {error}"
    logger.info('Finished in state Failed("%s")', state)
    return [caplog.handler.format(record) for record in caplog.records]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (UserError("No run x."), "No run x."),
        (Fault("Disk full."), "Disk full."),
        (Refused("Status 404."), "Status 404."),
        (Unreadable("a.zip", "bad"), "a.zip cannot be read as an archive (bad): name a whole .zip"),
        (OSError(errno.ENOSPC, "No space left on device", "/h/x"), "/h/x cannot be written (No space left on device)"),
        (PermissionError(errno.EACCES, "Permission denied", "/h/x"), "/h/x cannot be written (Permission denied): "),
        (OSError(errno.EROFS, "Read-only file system"), "A file cannot be written (Read-only file system): make room"),
    ],
)
def test_what_people_can_mend_is_one_sentence(error, said, caplog):
    (line,) = logged(error, caplog)
    assert said in line
    assert len(line.splitlines()) == 1


@pytest.mark.parametrize("error", [KeyError("x"), OSError(errno.ENOTDIR, "Not a directory", "/h/x")])
def test_what_nobody_expected_keeps_its_traceback(error, caplog):
    assert "Traceback" in logged(error, caplog)[0]


def test_doctor_goes_on_behind_a_disk_that_cannot_be_written(fresh_home: Home, monkeypatch, capsys):
    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", "/h/servers")

    monkeypatch.setattr(opening, "open_endpoint", read_only)
    doctor.examine(fresh_home, "embedded", None)
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "FAILED model      /h/servers cannot be written (Read-only file system)" in line]
    assert "database" in lines[-1]


def test_what_a_failed_stage_rejected_can_be_queried(fresh_home: Home, monkeypatch):
    monkeypatch.setattr(steps, "sync_warehouse", lambda: sync(fresh_home))
    rejection = {
        "rejection_id": "r",
        "stage": "build",
        "subject": "s",
        "reason": "short",
        "recorded_at": datetime.now(),
    }
    with Journal(fresh_home, "test") as journal:
        journal.append("rejections", rejection)
    with pytest.raises(UserError, match="too short"), steps.synced_afterwards():
        raise UserError("The cell is too short.")
    assert [row["subject"] for row in rows(fresh_home, "FROM rejections")] == ["s"]


def test_of_two_failures_the_first_is_reported(monkeypatch):
    def broken() -> None:
        raise Fault("The warehouse is broken.")

    monkeypatch.setattr(steps, "sync_warehouse", broken)
    with pytest.raises(UserError, match="too short"), steps.synced_afterwards():
        raise UserError("The cell is too short.")
    with pytest.raises(Fault, match="warehouse is broken"), steps.synced_afterwards():
        pass


@pytest.mark.parametrize("error", [UserError("No run x."), OSError(errno.ENOSPC, "No space left on device", "/h/x")])
def test_it_is_said_once_however_many_tasks_and_flows_it_passes(error, caplog):
    for _ in ("task", "flow", "flow above"):
        lines = logged(error, caplog)
    assert len(lines) == 1
