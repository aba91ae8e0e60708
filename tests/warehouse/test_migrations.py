"""Schema files are applied once, in order, with their record; views follow their files."""

import shutil
from pathlib import Path

import duckdb
import pytest

from tasks.errors import Fault, UserError
from tasks.home import Home
from tasks.warehouse import generations, ingest, journal, migrations, recover, snapshot
from tasks.warehouse.schema import SQL, declared, read


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of `sql/` that a test may change."""
    return Path(shutil.copytree(SQL, tmp_path / "sql"))


def add(sql: Path, name: str, text: str) -> None:
    (sql / "schema" / f"{name}.sql").write_text(text)


def look(home: Home, sql: Path, query: str) -> list[dict]:
    """Rows of a query, read by a treebench with the schema in `sql`."""
    with snapshot.reader(home, sql) as con:
        return snapshot.fetch(con, query)


def test_everything_has_a_comment() -> None:
    with duckdb.connect() as con:
        migrations.apply(con, SQL)
        for kind in ("tables", "columns", "views"):
            found = con.execute(f"FROM duckdb_{kind}() SELECT * WHERE NOT internal AND comment IS NULL").fetchall()
            assert found == [], kind


def test_files_are_applied_once() -> None:
    with duckdb.connect() as con:
        names = sorted(path.stem for path in (SQL / "schema").glob("*.sql"))
        assert migrations.apply(con, SQL) == [*names, "views"]
        assert migrations.apply(con, SQL) == []
        assert read(con) == declared()


def test_a_database_of_the_first_schema_is_brought_up_to_date(fresh_home: Home, tmp_path: Path, prediction) -> None:
    first = tmp_path / "first"
    (first / "schema").mkdir(parents=True)
    for path in sorted((SQL / "schema").glob("*.sql"))[:1]:
        shutil.copy(path, first / "schema")
    fresh = generations.copy(fresh_home, None)
    with duckdb.connect(str(fresh)) as con:
        migrations.apply(con, first)
        con.execute("INSERT INTO example_payloads VALUES ('e', 0, 'p')")
    generations.switch(fresh_home, fresh)
    journal.write(fresh_home, "predictions", [prediction("a")])
    assert ingest.sync(fresh_home).rows == {"predictions": 1}
    found = snapshot.rows(
        fresh_home, "SELECT e.example_id AS old, p.example_id AS new FROM example_payloads e, predictions p"
    )
    assert found == [{"old": "e", "new": "a"}]
    applied = {row["name"] for row in snapshot.rows(fresh_home, "FROM migrations")}
    assert applied == {"views", *(path.stem for path in (SQL / "schema").glob("*.sql"))}


def test_a_column_is_added_to_a_table_with_rows(fresh_home: Home, checkout: Path, prediction, contents) -> None:
    journal.write(fresh_home, "predictions", [prediction("a")])
    ingest.sync(fresh_home)
    add(checkout, "0999_retries", "ALTER TABLE predictions ADD COLUMN retries INTEGER DEFAULT 3;"
        "COMMENT ON COLUMN predictions.retries IS 'Tries before the answer';")  # fmt: skip
    add(checkout, "0998_notes", "CREATE TABLE notes (id VARCHAR PRIMARY KEY, level INTEGER NOT NULL DEFAULT 7);")
    journal.write(fresh_home, "predictions", [prediction("b")])
    (Path(fresh_home.journal) / "notes").mkdir()
    (Path(fresh_home.journal) / "notes" / "n.jsonl").write_text('{"id":"x"}\n{"id":"y","level":1}\n')
    ingest.sync(fresh_home, sql=checkout)
    assert look(fresh_home, checkout, "SELECT * FROM notes ORDER BY id") == [
        {"id": "x", "level": 7},
        {"id": "y", "level": 1},
    ]
    migrated = look(fresh_home, checkout, "SELECT example_id, retries FROM predictions ORDER BY example_id")
    assert migrated[0] == {"example_id": "a", "retries": 3}
    before = contents(fresh_home.live)
    recover.rebuild(fresh_home, sql=checkout)
    after = contents(fresh_home.live)
    del before["predictions"], after["predictions"]  # a row loaded before the column was added has its default
    assert after == before


def test_a_newer_database_is_refused(fresh_home: Home, checkout: Path, prediction) -> None:
    add(checkout, "0999_future", "CREATE TABLE future (id VARCHAR PRIMARY KEY);")
    journal.write(fresh_home, "predictions", [prediction("a")])
    ingest.sync(fresh_home, sql=checkout)
    journal.write(fresh_home, "predictions", [prediction("b")])
    for reads_or_writes in (ingest.sync, lambda home: snapshot.rows(home, "SELECT 1")):
        with pytest.raises(UserError) as refused:
            reads_or_writes(fresh_home)
        assert str(refused.value) == (
            "The database records migration 0999_future, which this version of treebench does not have: "
            "update treebench to the version that wrote it."
        )
    with snapshot.reader(fresh_home, sql=checkout) as con:
        assert con.execute("SELECT example_id FROM predictions").fetchall() == [("a",)]
    assert ingest.sync(fresh_home, sql=checkout).rows == {"predictions": 1}


def test_a_changed_migration_is_refused_until_the_database_is_rebuilt(fresh_home: Home, checkout: Path) -> None:
    add(checkout, "0999_new", "CREATE TABLE new (id VARCHAR PRIMARY KEY);")
    ingest.sync(fresh_home, sql=checkout)
    add(checkout, "0999_new", "CREATE TABLE newer (id VARCHAR PRIMARY KEY);")
    declared.cache_clear()
    with pytest.raises(UserError, match=r"Migration 0999_new was changed after .*: run `treebench recover`"):
        ingest.sync(fresh_home, sql=checkout)
    recover.rebuild(fresh_home, sql=checkout)
    assert look(fresh_home, checkout, "FROM newer") == []


def test_a_snapshot_of_an_older_version_is_published_anew_when_it_is_read(fresh_home: Home, checkout: Path) -> None:
    ingest.sync(fresh_home)
    alone = fresh_home.root / "alone"
    alone.mkdir()
    shutil.copy(fresh_home.snapshot, alone / "treebench.duckdb")
    add(checkout, "0999_new", "CREATE TABLE newer (id VARCHAR PRIMARY KEY);")
    assert look(fresh_home, checkout, "FROM newer") == []
    with snapshot.reader(Home(alone), sql=checkout) as con, pytest.raises(duckdb.CatalogException):
        con.execute("FROM newer")


@pytest.mark.parametrize("text", ["CREATE TABLE broken (", "CREATE TABLE x (a INTEGER); SELECT nothing FROM nowhere;"])
def test_a_broken_migration_leaves_no_trace(fresh_home: Home, checkout: Path, text: str) -> None:
    ingest.sync(fresh_home)
    add(checkout, "0999_broken", text)
    with pytest.raises(Fault, match=r"sql/schema/0999_broken\.sql cannot be applied to the database \(.*\):") as failed:
        ingest.sync(fresh_home, sql=checkout)
    assert "\n" not in str(failed.value)
    assert not ingest.sync(fresh_home).published
    with duckdb.connect() as con:
        with pytest.raises(Fault):
            migrations.apply(con, checkout)
        assert con.execute("FROM migrations SELECT name WHERE name LIKE '0999%'").fetchall() == []
        assert con.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'x'").fetchall() == []


def test_views_follow_their_files(fresh_home: Home, checkout: Path) -> None:
    view = checkout / "views" / "zz_one.sql"
    view.write_text("CREATE OR REPLACE VIEW one AS SELECT 1 AS x; CREATE OR REPLACE MACRO twice(x) AS 2 * x;")
    ingest.sync(fresh_home, sql=checkout)
    assert look(fresh_home, checkout, "SELECT twice(x) AS y FROM one") == [{"y": 2}]
    assert not ingest.sync(fresh_home, sql=checkout).published
    view.write_text("CREATE OR REPLACE VIEW one AS SELECT 5 AS x;")
    assert ingest.sync(fresh_home, sql=checkout).published
    assert look(fresh_home, checkout, "FROM one") == [{"x": 5}]
    with snapshot.reader(fresh_home) as con, pytest.raises(duckdb.CatalogException):
        con.execute("SELECT twice(1)")
    view.unlink()
    ingest.sync(fresh_home, sql=checkout)
    assert look(fresh_home, checkout, "SELECT 1 FROM duckdb_views() WHERE view_name = 'one'") == []


def test_a_broken_view_is_named_and_stops_no_writer(fresh_home: Home, checkout: Path) -> None:
    (checkout / "views" / "zz_bad.sql").write_text("CREATE OR REPLACE VIEW bad AS SELECT nothing FROM nowhere;")
    with pytest.raises(Fault, match=r"sql/views/zz_bad\.sql cannot be applied"):
        ingest.sync(fresh_home, sql=checkout)
    assert "predictions" in declared(checkout)
