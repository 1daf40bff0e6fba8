"""The migration step: forward only, whole or not at all, safe to run twice and two at once (B026)."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from lanekeeper.migrate import runner
from tests.devkit.migrations import MIGRATIONS, migrate
from tests.devkit.postgres import MIGRATOR, Postgres


@pytest.fixture
def migrator_url(postgres_server: Postgres, empty_database_url: str) -> str:
    """An empty database as the role that migrates it."""
    return postgres_server.url(empty_database_url.rpartition("/")[2], MIGRATOR)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two small migrations."""
    (tmp_path / "0001_create_shelf.sql").write_text("create table shelf (id int primary key)")
    (tmp_path / "0002_label_shelf.sql").write_text("alter table shelf add column label text")
    return tmp_path


def tables(url: str) -> set[str]:
    with psycopg.connect(url) as connection:
        return {name for (name,) in connection.execute("select relname from pg_class where relkind = 'r' "
                "and relnamespace = 'public'::regnamespace")}  # fmt: skip


def test_the_product_s_migrations_are_numbered_without_gaps_and_say_what_they_do() -> None:
    names = [migration.name for migration in runner.read(MIGRATIONS)]
    assert names
    assert set(names) == {path.name for path in MIGRATIONS.glob("*.sql")} - {"schema.sql"}


@pytest.mark.parametrize(
    "name", ["0003_shelf.sql", "0004_paint_shelf.sql", "0003-paint-shelf.sql", "0003_Paint_Shelf.sql"]
)
def test_a_gap_or_a_name_without_verb_and_object_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_text("select 1")
    with pytest.raises(ValueError, match="expected 0003_verb_object"):
        runner.read(folder)


def test_b026_a_second_run_finds_nothing_to_do(migrator_url: str, folder: Path) -> None:
    """B026: running the step again changes nothing."""
    assert runner.apply(migrator_url, folder) == ["0001_create_shelf.sql", "0002_label_shelf.sql"]
    assert runner.apply(migrator_url, folder) == []


def test_b026_two_runs_at_once_apply_the_product_once(postgres_server: Postgres, empty_database_url: str) -> None:
    """B026: two deployments at once on an empty database end with one schema and no error."""
    name = empty_database_url.rpartition("/")[2]
    postgres_server.prepare_database(name, lambda url: None)
    url = postgres_server.url(name, MIGRATOR)
    with ThreadPoolExecutor(2) as pool:
        applied = list(pool.map(lambda _: runner.apply(url, MIGRATIONS), range(2)))
    assert sorted(applied, key=len) == [[], [migration.name for migration in runner.read(MIGRATIONS)]]


def test_only_new_migrations_are_applied(migrator_url: str, folder: Path) -> None:
    runner.apply(migrator_url, folder)
    (folder / "0003_create_box.sql").write_text("create table box (id int)")
    assert runner.apply(migrator_url, folder) == ["0003_create_box.sql"]


def test_a_run_that_fails_leaves_nothing_behind(migrator_url: str, folder: Path) -> None:
    (folder / "0003_break_shelf.sql").write_text("create table half (id int); select 1 / 0")
    with pytest.raises(psycopg.errors.DivisionByZero):
        runner.apply(migrator_url, folder)
    assert tables(migrator_url) == set()


def test_an_edited_migration_is_refused(migrator_url: str, folder: Path) -> None:
    runner.apply(migrator_url, folder)
    (folder / "0002_label_shelf.sql").write_text("alter table shelf add column colour text")
    with pytest.raises(runner.MigrationChangedError, match="0002_label_shelf"):
        runner.apply(migrator_url, folder)


def test_a_database_ahead_of_the_code_is_refused(migrator_url: str, folder: Path) -> None:
    runner.apply(migrator_url, folder)
    (folder / "0002_label_shelf.sql").unlink()
    with pytest.raises(runner.DatabaseAheadError, match="0002_label_shelf"):
        runner.apply(migrator_url, folder)


def test_a_migrated_database_takes_the_product_s_step_again(postgres_server: Postgres, database_url: str) -> None:
    before = tables(database_url)
    migrate(postgres_server.url(database_url.rpartition("/")[2], MIGRATOR))
    assert tables(database_url) == before
