"""The whole system on one machine: Postgres, the fake Mainline, the functions, the gateway and the ``/dev`` routes."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copy2, rmtree

import httpx
import psycopg

from tests.devkit import functions, processes, scratch, wire
from tests.devkit.clock import Clock
from tests.devkit.database_proxy import Road
from tests.devkit.gateway import Gateway
from tests.devkit.invocations import Invocations
from tests.devkit.issuer import CLIENT, GROUPS_CLAIM, Issuer
from tests.devkit.local_lambda import Function, Surroundings
from tests.devkit.mainline.__main__ import LOCAL_KEY, LOCAL_SEARCH_KEY
from tests.devkit.migrations import MIGRATIONS
from tests.devkit.orders import Orders
from tests.devkit.postgres import Postgres, free_port
from tests.devkit.processes import ROOT
from tests.devkit.schedule import Schedule
from tests.devkit.starters import Forks, Fresh

DATABASE = "lanekeeper"
PAGE = ROOT / "web" / "dist"
# Where traces go, if anywhere else than into the database.
TRACES = ("TRACES", "TRACES_ENDPOINT", "TRACES_HEADERS")


class StartError(RuntimeError):
    """The system could not be started; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the system is run.

    ``data``: keep everything there; else all is thrown away. ``fresh``: no forks, as on Lambda.
    ``direct_database``: no proxy between functions and Postgres, so no outages and no blackholes.
    ``freezes``: idle sandboxes are stopped, as on Lambda. ``durable``: wait for the disk though all is thrown away.
    ``environment``: more variables for the functions.
    """

    port: int = 0
    data: Path | None = None
    workers: int = 8
    stage: str = ""
    fresh: bool = False
    direct_database: bool = False
    freezes: bool = True
    durable: bool | None = None
    zero_delay: bool = False
    model: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)


class Local:
    """The running system. Everything the ``/dev`` routes act on is an attribute of it."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.directory = options.data.resolve() if options.data else scratch.make()
        self.logs, orders = self.directory / "logs", self.directory / "orders"
        for folder in (self.directory, self.logs, orders):
            folder.mkdir(parents=True, exist_ok=True)
        for left in orders.iterdir():
            left.unlink()
        self.orders = Orders(orders)
        self.clock = Clock(self.directory / "clock")
        # The true pg_cron serves one database of a server, where it is preloaded.
        cron = DATABASE if os.environ.get("LOCAL_PG_CRON") else None
        kept = self.directory / "postgres" if options.data else None
        self.postgres = Postgres(kept, durable=options.durable, cron_database=cron)
        self.road = Road(self.postgres.port, direct=options.direct_database)
        self.database_url = self.postgres.url(DATABASE)
        self.functions: dict[str, Function] = {}
        self.invocations = Invocations(self.database_url, self.functions)
        self._mainline_port, self._control_port = free_port(), free_port()
        self.mainline_url = os.environ.get("MAINLINE_BASE_URL") or f"http://127.0.0.1:{self._mainline_port}/v1"
        self.control = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{self._control_port}/control/", trust_env=False, timeout=30
        )
        self._handler: wire.Handler = _not_yet
        self._closing = contextlib.AsyncExitStack()

    async def start(self) -> None:
        """Start everything; what has started is stopped again when something does not.

        Raises:
            StartError, PostgresError, OSError: a part could not be started.
        """
        try:
            await self._start()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Stop everything, in the reverse order."""
        await self._closing.aclose()
        if self.options.data is None:
            scratch.remove(self.directory)

    async def _start(self) -> None:
        self._closing.push_async_callback(self.control.aclose)
        try:
            origin = f"http://127.0.0.1:{await self._listen(self._handle, self.options.port)}"
        except OSError as error:
            raise StartError(f"port {self.options.port} cannot be used; choose another with --port N") from error
        self.url = f"{origin}/{self.options.stage}" if self.options.stage else origin
        self.issuer = Issuer(f"{origin}/dev/issuer", self.directory / "issuer.pem")
        mainline = self._start_mainline()
        self._closing.callback(self.postgres.stop)
        self._make_functions(await self._listen(self.invocations.handle))
        self.postgres.start()
        await self._migrate()
        self.sql = await psycopg.AsyncConnection.connect(self.database_url, autocommit=True, application_name="devkit")
        self._closing.push_async_callback(self.sql.close)
        if self.clock.offset_s:
            await self.clock.move(self.sql, self.clock.offset_s)
        self._closing.push_async_callback(self.invocations.close)
        await self.invocations.start()
        cron = await psycopg.AsyncConnection.connect(self.database_url, autocommit=True, application_name="devkit-cron")
        self._closing.push_async_callback(cron.close)
        self.schedule = Schedule(cron, self.invocations, self.clock, real=self.postgres.cron_database is not None)
        self._closing.callback(self.schedule.close)
        self.schedule.start()
        await mainline

        from tests.devkit.routes import Routes  # it needs this class

        gateway, routes = Gateway(self.functions, self.options.stage), Routes(self)

        async def handle(exchange: wire.Exchange) -> None:
            await (routes if exchange.path.startswith("/dev/") else gateway).handle(exchange)

        self._handler = handle
        for name in ("accept", "stream", "worker"):
            self.functions[name].warm()

    async def _listen(self, handler: wire.Handler, port: int = 0) -> int:
        server = wire.Server(handler)
        self._closing.push_async_callback(server.close)
        return await server.open(port)

    async def _handle(self, exchange: wire.Exchange) -> None:
        await self._handler(exchange)

    def _start_mainline(self) -> "asyncio.Task[None]":
        ports = ["--port", str(self._mainline_port), "--control-port", str(self._control_port)]
        command = [sys.executable, "-m", "tests.devkit.mainline", *ports]
        if self.options.zero_delay:
            command.append("--zero-delay")
        if self.options.model:
            command += ["--model", self.options.model]
        environment = {**os.environ, "MAINLINE_AI_KEY": "", "SEARCH_API_KEY": "", "PYTHONPATH": functions.PATH}
        log = self.logs / "mainline.log"
        child = processes.spawn(command, environment, log, stdout=subprocess.PIPE)
        self._closing.callback(processes.stop, child)

        async def ready() -> None:
            assert child.stdout is not None
            async with contextlib.aclosing(processes.lines_of(child.stdout)) as lines:
                if not await anext(lines, b""):
                    raise StartError(f"the fake Mainline did not start:\n{_end_of(log)}")

        return asyncio.create_task(ready())

    async def _migrate(self) -> None:
        """Bring the database up to this release with the migrate function itself, as a deployment does."""
        if not self.postgres.has_database(DATABASE):
            self.postgres.create_database(DATABASE)
        self.postgres.install_extensions(DATABASE)
        function = self.functions.pop("migrate")
        outcome = await function.invoke(b"{}")
        if outcome.error is not None:
            raise StartError(f"the migrations failed: {json.dumps(outcome.error, indent=2)}")
        await function.close()

    def _make_functions(self, lambda_port: int) -> None:
        product = {
            "LANEKEEPER_ENVIRONMENT": "dev",
            "DATABASE_AUTH": "none",
            "OIDC_ISSUER": self.issuer.url,
            "OIDC_KIND": "cognito",
            "OIDC_CLIENTS": CLIENT,
            "OIDC_GROUPS_CLAIM": GROUPS_CLAIM,
            "MAINLINE_BASE_URL": self.mainline_url,
            "MAINLINE_AI_KEY": os.environ.get("MAINLINE_AI_KEY") or LOCAL_KEY,
            "SEARCH_BASE_URL": os.environ.get("SEARCH_BASE_URL") or f"http://127.0.0.1:{self._mainline_port}",
            "SEARCH_API_KEY": os.environ.get("SEARCH_API_KEY") or LOCAL_SEARCH_KEY,
            "WORKER_FUNCTION": "worker",
            "MAINTENANCE_FUNCTION": "maintenance",
            "AWS_ENDPOINT_URL_LAMBDA": f"http://127.0.0.1:{lambda_port}",
            "PAGE_DIR": str(PAGE),
            "PAGE_CONFIG": json.dumps({"mode": "dev", "demoModel": not os.environ.get("MAINLINE_BASE_URL")}),
            # As in the template's dev environment.
            "LIMIT_REQUEST_SAMPLE_RATE": os.environ.get("LIMIT_REQUEST_SAMPLE_RATE", "1"),
            **{name: os.environ[name] for name in TRACES if name in os.environ},
            **self.options.environment,
        }
        devkit = {"DEVKIT_CLOCK": str(self.clock.file), "DEVKIT_ORDERS": str(self.directory / "orders")}
        around = Surroundings(
            road=self.road,
            database_url=lambda port, role: self.postgres.url(DATABASE, role, port=port),
            freezes=self.options.freezes and os.name == "posix",
            orders=self.orders,
        )
        forks = hasattr(os, "fork") and not self.options.fresh
        for spec in functions.specs(self.options.workers):
            root = self._package_migrations() if spec.name == "migrate" else ROOT / "functions" / spec.name
            environment = functions.environment(spec, root, product, devkit)
            starter = (Forks if forks else Fresh)(environment, self.logs / f"{spec.name}.log")
            self.functions[spec.name] = Function(spec, starter, around)
            self._closing.push_async_callback(self.functions[spec.name].close)

    def _package_migrations(self) -> Path:
        """The migrate function's folder as a build lays it out: the handler and the migrations beside it."""
        root = self.directory / "migrate"
        rmtree(root, ignore_errors=True)
        (root / "migrations").mkdir(parents=True)
        copy2(ROOT / "functions" / "migrate" / "handler.py", root)
        for migration in MIGRATIONS.glob("[0-9]*.sql"):
            copy2(migration, root / "migrations")
        return root


async def _not_yet(exchange: wire.Exchange) -> None:
    await exchange.respond_json(503, {"message": "starting"})


def _end_of(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-2000:]
