"""The ``/dev`` routes: how checks and scenarios drive the running system. They answer only on loopback."""

import asyncio
import contextlib
import ipaddress
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, get_args
from urllib.parse import urlsplit

import httpx
import psycopg

from tests.devkit import kill_points, wire
from tests.devkit.local import Local
from tests.devkit.sandbox import How

Json = dict[str, Any]


class RouteError(Exception):
    """What was asked makes no sense; the message says why."""


class Routes:
    """Answers ``/dev/...``."""

    def __init__(self, local: Local) -> None:
        self._local = local
        self._running: set[asyncio.Task[Any]] = set()
        self._routes: dict[tuple[str, str], Callable[[Json], Awaitable[Any]]] = {
            ("POST", "token"): self._token,
            ("GET", "jwks"): self._jwks,
            ("GET", "issuer/.well-known/jwks.json"): self._jwks,
            ("GET", "issuer/.well-known/openid-configuration"): self._configuration,
            ("POST", "model"): self._forwarded("model"),
            ("POST", "decisions"): self._forwarded("decisions"),
            ("POST", "clock"): self._clock,
            ("POST", "tick"): self._tick,
            ("POST", "nightly"): self._nightly,
            ("POST", "kill"): self._kill,
            ("GET", "kill"): self._orders,
            ("DELETE", "kill"): self._recall,
            ("POST", "thaw"): self._thaw,
            ("POST", "repeat"): self._repeat,
            ("POST", "outage"): self._outage,
            ("POST", "quiet"): self._quiet,
            ("GET", "sandboxes"): self._sandboxes,
        }

    async def handle(self, exchange: wire.Exchange) -> None:
        """One request."""
        if not _from_this_machine(exchange):
            await exchange.respond_json(403, {"message": "/dev answers on loopback only"})
            return
        name = exchange.path.removeprefix("/dev/")
        if (exchange.method, name) == ("GET", "requests"):
            await self._requests(exchange)
            return
        route = self._routes.get((exchange.method, name))
        if route is None:
            await exchange.respond_json(404, {"message": f"there is no {exchange.method} /dev/{name}"})
            return
        body = await exchange.json()
        try:
            if not isinstance(body, dict):
                raise RouteError("the body is a JSON object")
            answer = await route(body)
        except (RouteError, KeyError, TypeError, ValueError) as error:
            message = f"missing: {error}" if isinstance(error, KeyError) else str(error)
            await exchange.respond_json(422, {"message": message})
        except (OSError, psycopg.Error, httpx.HTTPError) as error:
            await exchange.respond_json(503, {"message": str(error)})
        else:
            await exchange.respond_json(200, answer)

    async def _token(self, body: Json) -> Json:
        sub = body["sub"]
        if not isinstance(sub, str) or not sub:
            raise RouteError("sub is a text")
        token = self._local.issuer.token(
            sub,
            groups=body.get("groups"),
            name=body.get("name"),
            timezone=body.get("timezone"),
            now=self._local.clock.time(),
            expires_in_s=body.get("expires_in_s"),
        )
        return {"token": token}

    async def _jwks(self, _: Json) -> Json:
        return self._local.issuer.jwks

    async def _configuration(self, _: Json) -> Json:
        return self._local.issuer.configuration()

    def _forwarded(self, name: str) -> Callable[[Json], Awaitable[Any]]:
        async def forward(body: Json) -> Any:
            return await self._control("POST", name, body)

        return forward

    async def _control(self, method: str, name: str, body: Json | None = None) -> Any:
        answer = await self._local.control.request(method, name, json=body)
        if answer.status_code != 200:
            raise RouteError(f"the fake Mainline says {answer.text}")
        return answer.json()

    async def _requests(self, exchange: wire.Exchange) -> None:
        # Passed through as it is: bodies are shown exactly as they were received.
        answer = await self._local.control.get(f"requests?{exchange.query}")
        await exchange.respond(answer.status_code, answer.content, [("Content-Type", "application/json")])

    async def _clock(self, body: Json) -> Json:
        clock = self._local.clock
        offset = _moment(body["now"]) - time.time() if "now" in body else clock.offset_s + float(body["advance_s"])
        await clock.move(self._local.sql, offset)
        await self._control("POST", "clock", {"now": clock.time()})
        return {"now": clock.now().isoformat()}

    async def _tick(self, _: Json) -> Json:
        return {"jobs": await self._local.schedule.tick()}

    async def _nightly(self, _: Json) -> Json:
        return {"jobs": await self._local.schedule.nightly()}

    async def _kill(self, body: Json) -> Json:
        function, at, how = body["function"], body["at"], body.get("how", "kill")
        if function not in self._local.functions:
            raise RouteError(f"function is one of {', '.join(self._local.functions)}")
        if at not in kill_points.names(function):
            raise RouteError(f"at is one of {', '.join(sorted(kill_points.names(function)))}")
        if how not in get_args(How):
            raise RouteError(f"how is one of {', '.join(get_args(How))}")
        if how == "blackhole" and self._local.road.direct:
            raise RouteError("there is no proxy to swallow the traffic: the system runs with --direct-database")
        self._local.orders.give(function, at, how)
        return {"waiting": len(self._local.orders.waiting())}

    async def _orders(self, _: Json) -> list[Json]:
        waiting = self._local.orders.waiting()
        return [{"function": function, "at": at, "how": how} for function, at, how in waiting]

    async def _recall(self, _: Json) -> Json:
        """Take orders back, and bury what was lost: its processes would stay until their time is over."""
        self._local.orders.clear()
        lost = [box for function in self._local.functions.values() for box in function.sandboxes if box.lost]
        for box in lost:
            box.kill()
        return {"buried": len(lost)}

    async def _thaw(self, body: Json) -> Json:
        lost = [box for box in self._local.functions[body["function"]].sandboxes if box.lost]
        for box in lost:
            box.thaw()
        return {"thawed": len(lost)}

    async def _repeat(self, body: Json) -> Json:
        function, delays = body["function"], [float(delay) for delay in body["delays_s"]]
        if function not in self._local.functions:
            raise RouteError(f"function is one of {', '.join(self._local.functions)}")
        self._local.invocations.repeat_next(function, delays)
        return {}

    async def _outage(self, body: Json) -> Json:
        seconds, what = float(body["seconds"]), body["what"]
        if what == "mainline":
            await self._control("POST", "outage", {"seconds": seconds})
        elif what == "database":
            if self._local.road.direct:
                raise RouteError("there is no proxy that could refuse: the system runs with --direct-database")
            task = asyncio.create_task(self._local.road.close_for(seconds))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
            await asyncio.sleep(0)
        else:
            raise RouteError("what is database or mainline")
        return {"seconds": seconds}

    async def _quiet(self, _: Json) -> Json:
        """Return once no asynchronous invoke runs or waits."""
        await self._local.invocations.quiet()
        return {}

    async def _sandboxes(self, _: Json) -> Json:
        return {
            name: {
                "starts": function.starts,
                "live": len(function.sandboxes),
                "busy": sum(box.busy for box in function.sandboxes),
                "lost": sum(box.lost for box in function.sandboxes),
                "pids": [box.process.pid for box in function.sandboxes if box.process],
            }
            for name, function in self._local.functions.items()
        }


def _from_this_machine(exchange: wire.Exchange) -> bool:
    """Both ends are this machine, and a page of another site has not led the browser here under its own name."""
    host = urlsplit(f"//{exchange.header('host')}").hostname or ""
    with contextlib.suppress(ValueError):
        host_is_here = host == "localhost" or ipaddress.ip_address(host).is_loopback
        return host_is_here and ipaddress.ip_address(exchange.peer).is_loopback
    return False


def _moment(value: object) -> float:
    if isinstance(value, str):
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, int | float):
        return float(value)
    raise RouteError("now is ISO 8601 text or seconds since 1970")
