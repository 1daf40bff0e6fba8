"""The whole system on one machine: Postgres, the fake Mainline, the functions, the gateway and the ``/dev`` routes."""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree

import httpx
import psycopg

from tests.devkit import functions, processes, wire
from tests.devkit.clock import Clock
from tests.devkit.database_proxy import Road
from tests.devkit.gateway import Gateway
from tests.devkit.invocations import Invocations
from tests.devkit.issuer import CLIENT, GROUPS_CLAIM, Issuer
from tests.devkit.local_lambda import Function, Surroundings
from tests.devkit.migrations import migrate
from tests.devkit.orders import Orders
from tests.devkit.postgres import Postgres
from tests.devkit.processes import ROOT
from tests.devkit.schedule import Schedule
from tests.devkit.starters import Forks, Fresh

DATABASE = "lanekeeper"
PAGE = ROOT / "web" / "dist"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the system is run.

    ``data``: keep everything there; else all is thrown away. ``fresh``: no forks, as on Lambda.
    ``direct_database``: no proxy between functions and Postgres, so no outages and no blackholes.
    ``freezes``: idle sandboxes are stopped, as on Lambda. ``durable``: wait for the disk even on a thrown-away database.
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
    environment: dict[str, str] = field(default_factory=dict)


class Local:
    """The running system. Everything the ``/dev`` routes act on is an attribute of it."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.directory = options.data or Path(tempfile.mkdtemp(prefix="lanekeeper-"))
        self.directory.mkdir(parents=True, exist_ok=True)
        self.logs = self.directory / "logs"
        self.logs.mkdir(exist_ok=True)
        orders = self.directory / "orders"
        orders.mkdir(exist_ok=True)
        for left in orders.iterdir():
            left.unlink()
        self.orders = Orders(orders)
        self.clock = Clock(self.directory / "clock")
        cron = DATABASE if os.environ.get("LOCAL_PG_CRON") else None
        self.postgres = Postgres(_postgres_directory(options.data), durable=options.durable, cron_database=cron)
        self.functions: dict[str, Function] = {}
        self.control = httpx.AsyncClient(trust_env=False, timeout=30)
        self._closing = contextlib.AsyncExitStack()

    async def start(self) -> None:
        """Start everything; what has started is stopped again when something does not."""
        try:
            await self._start()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Stop everything, in the reverse order."""
        await self._closing.aclose()
        if self.options.data is None:
            rmtree(self.directory, ignore_errors=True)

    async def _start(self) -> None:
        mainline = self._start_mainline()
        self.postgres.start()
        self._closing.callback(self.postgres.stop)
        self._prepare_database()
        self.database_url = self.postgres.url(DATABASE)
        self.sql = await psycopg.AsyncConnection.connect(self.database_url, autocommit=True, application_name="devkit")
        self._closing.push_async_callback(self.sql.close)
        self.road = Road(self.postgres.port, direct=self.options.direct_database)
        if self.clock.offset_s:
            await self.clock.move(self.sql, self.clock.offset_s)

        self.http: wire.Handler | None = None
        gateway_server = await wire.serve(self._handle, self.options.port)
        self._closing.callback(gateway_server.close)
        origin = f"http://127.0.0.1:{wire.port_of(gateway_server)}"
        self.url = f"{origin}/{self.options.stage}" if self.options.stage else origin
        self.issuer = Issuer(f"{origin}/dev/issuer", self.directory / "issuer.pem")
        lambda_server = await wire.serve(self._handle_lambda)
        self._closing.callback(lambda_server.close)

        known = await mainline
        self.mainline_url = os.environ.get("MAINLINE_BASE_URL") or known["mainline_url"]
        self.control.base_url = httpx.URL(f"{known['control_url']}/control/")
        self._closing.push_async_callback(self.control.aclose)
        self._make_functions(wire.port_of(lambda_server), known)
        self.invocations = Invocations(self.database_url, self.functions)
        self._closing.push_async_callback(self.invocations.close)
        await self.invocations.start()
        self.schedule = Schedule(self.sql, self.invocations, self.clock, real=self.postgres.cron_database is not None)
        self._closing.callback(self.schedule.close)
        self.schedule.start()

        from tests.devkit.routes import Routes  # it needs this class

        gateway, routes = Gateway(self.functions, self.options.stage), Routes(self)
        self.http = lambda exchange: (routes if exchange.path.startswith("/dev/") else gateway).handle(exchange)
        for name in ("accept", "stream", "worker"):
            self.functions[name].warm()

    async def _handle(self, exchange: wire.Exchange) -> None:
        if self.http is None:
            await exchange.respond_json(503, {"message": "starting"})
        else:
            await self.http(exchange)

    async def _handle_lambda(self, exchange: wire.Exchange) -> None:
        await self.invocations.handle(exchange)

    def _start_mainline(self) -> "asyncio.Task[dict[str, str]]":
        command = [sys.executable, "-m", "tests.devkit.mainline", "--port", "0", "--control-port", "0"]
        if self.options.zero_delay:
            command.append("--zero-delay")
        environment = {**os.environ, "MAINLINE_AI_KEY": "", "SEARCH_API_KEY": "", "PYTHONPATH": functions.PATH}
        child = processes.spawn(command, environment, self.logs / "mainline.log", stdout=subprocess.PIPE)
        self._closing.callback(processes.stop, child)

        async def ready() -> dict[str, str]:
            assert child.stdout is not None
            line = await (await processes.reader_of(child.stdout)).readline()
            if not line:
                raise RuntimeError(f"the fake Mainline did not start: see {self.logs / 'mainline.log'}")
            answer: dict[str, str] = json.loads(line)
            return answer

        return asyncio.create_task(ready())

    def _prepare_database(self) -> None:
        if not self.postgres.has_database(DATABASE):
            self.postgres.create_database(DATABASE)
        self.postgres.prepare_database(DATABASE, migrate)

    def _make_functions(self, lambda_port: int, mainline: dict[str, str]) -> None:
        from tests.devkit.mainline.__main__ import LOCAL_KEY, LOCAL_SEARCH_KEY

        product = {
            "LANEKEEPER_ENVIRONMENT": "dev",
            "DATABASE_AUTH": "none",
            "OIDC_ISSUER": self.issuer.url,
            "OIDC_KIND": "cognito",
            "OIDC_CLIENTS": CLIENT,
            "OIDC_GROUPS_CLAIM": GROUPS_CLAIM,
            "MAINLINE_BASE_URL": self.mainline_url,
            "MAINLINE_AI_KEY": os.environ.get("MAINLINE_AI_KEY") or LOCAL_KEY,
            "SEARCH_BASE_URL": os.environ.get("SEARCH_BASE_URL") or mainline["search_url"],
            "SEARCH_API_KEY": os.environ.get("SEARCH_API_KEY") or LOCAL_SEARCH_KEY,
            "WORKER_FUNCTION": "worker",
            "MAINTENANCE_FUNCTION": "maintenance",
            "AWS_ENDPOINT_URL_LAMBDA": f"http://127.0.0.1:{lambda_port}",
            "PAGE_DIR": str(PAGE),
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
            environment = functions.environment(spec, product, devkit)
            starter = (Forks if forks else Fresh)(environment, self.logs / f"{spec.name}.log")
            self.functions[spec.name] = Function(spec, starter, around)
            self._closing.callback(self.functions[spec.name].close)


def _postgres_directory(data: Path | None) -> Path | None:
    return data / "postgres" if data else None
