"""Databases and homes that the tests of reports share."""

from collections.abc import Callable, Iterator

import duckdb
import pytest

from tasks.home import Home
from tests.reporting.invented import Invented


@pytest.fixture(scope="session")
def fresh_invented() -> Callable[[], Invented]:
    """Makes empty invented databases."""
    return lambda: Invented(duckdb.connect())


@pytest.fixture(scope="session")
def _shared(fresh_invented) -> Invented:
    return fresh_invented()


@pytest.fixture
def invented(_shared: Invented) -> Iterator[Invented]:
    """An empty invented database; what a test adds is rolled back after it."""
    _shared.con.execute("BEGIN")
    yield _shared
    _shared.con.execute("ROLLBACK")


@pytest.fixture
def publish(fresh_home: Home) -> Callable[[Callable[[Invented], object]], Home]:
    """Writes a snapshot: `publish(fill)` gives a home whose database holds what `fill` adds to an invented one."""

    def published(fill: Callable[[Invented], object]) -> Home:
        fresh_home.snapshot.unlink(missing_ok=True)
        with duckdb.connect(str(fresh_home.snapshot)) as con:
            made = Invented(con)
            con.execute("BEGIN")
            fill(made)
            con.execute("COMMIT")
        return fresh_home

    return published


@pytest.fixture(scope="session")
def fill_pair() -> Callable[[Invented], None]:
    """MemAgent under Flat and TreeAgent on four sample examples in two cells: 1, 0 | 0, 0 and 1, 1 | 0.5, 0."""
    return _fill_pair


def _fill_pair(invented: Invented) -> None:
    ids = invented.build("b1")
    invented.run("flat", "b1", ids, [1.0, 0.0, 0.0, 0.0])
    invented.run("tree", "b1", ids, [1.0, 1.0, 0.5, 0.0], method="treeagent", calls=4, prompt_tokens=90)


@pytest.fixture
def pair(invented: Invented) -> Invented:
    """The database of `fill_pair`."""
    _fill_pair(invented)
    return invented


@pytest.fixture
def pair_home(publish) -> Home:
    """A home whose snapshot is that of `fill_pair`."""
    return publish(_fill_pair)
