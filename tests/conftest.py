"""Fixtures that every test may use."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.home import PROJECT, Home, home

os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
os.environ.setdefault("DO_NOT_TRACK", "1")


@pytest.fixture
def fresh_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """An empty TREEBENCH_HOME of its own, with the downloads of the checkout's home linked in."""
    downloads = home().downloads
    monkeypatch.delenv("TREEBENCH_JOURNAL", raising=False)
    monkeypatch.setenv("TREEBENCH_HOME", str(tmp_path / "home"))
    fresh = home()
    downloads.mkdir(parents=True, exist_ok=True)
    fresh.downloads.symlink_to(downloads)
    return fresh


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of recorded responses; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("TREEBENCH_RECORDINGS") or PROJECT.parent / "shared" / "recordings")
    if not folder.is_dir():
        pytest.skip("no recorded responses here; name their folder in TREEBENCH_RECORDINGS")
    return folder


@pytest.fixture(scope="session")
def _prefect_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a Prefect server; one a session, as Prefect reads the address once in a process."""
    from flows.local_server import prefect_api

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PREFECT_API_URL", raising=False)
        patch.setenv("TREEBENCH_SERVER_LINGER", "1")
        with prefect_api(Home(tmp_path_factory.mktemp("prefect"))) as url:
            del os.environ["PREFECT_API_URL"]  # other tests start servers of their own
            yield url


@pytest.fixture
def prefect(_prefect_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Prefect server for flows that run in the process of the test."""
    monkeypatch.setenv("PREFECT_API_URL", _prefect_url)
