"""``/control/...``: what a test tells the fake to do, and what it asks it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.devkit.mainline.batches import Batches
from tests.devkit.mainline.body import parse
from tests.devkit.mainline.chat import Chat
from tests.devkit.mainline.clock import Clock, parse_moment
from tests.devkit.mainline.decisions import Decisions
from tests.devkit.mainline.errors import invalid, not_found
from tests.devkit.mainline.files import Files
from tests.devkit.mainline.requests import RequestLog
from tests.devkit.mainline.scripts import Script, Verdict
from tests.devkit.mainline.search import Search
from tests.devkit.mainline.wire import Reply, Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """The routes that script, break, move and read the fake.

    ==================================================  ==========================================================
    ``POST /control/model {sub?, feature?, replies}``   queue replies; an empty list clears that queue
    ``GET /control/model``                              the queues that still hold something
    ``POST /control/decisions {sub?, answers, ...}``    queue the verdicts of one call; nothing at all clears the queue
    ``GET /control/requests?sub=&feature=``             what was received, oldest first; DELETE forgets it
    ``POST /control/clock {advance_s | now}``           move the clock; GET tells it
    ``POST /control/outage {seconds}``                  refuse connections, after this answer
    ``POST /control/search {error?, delay_s?}``         the search vendor's faults, until set anew
    ``POST /control/batches {delay_s}``                 how long a batch takes, on the fake's clock
    ``POST /control/reset``                             forget all of it but the clock
    ==================================================  ==========================================================
    """

    clock: Clock
    log: RequestLog
    chat: Chat
    decisions: Decisions
    batches: Batches
    files: Files
    search: Search
    outage: Callable[[float], None]

    def answer(self, request: Request, reply: Reply) -> None:
        """Answer one request.

        Raises:
            ApiError: the request is refused.
        """
        name = request.path.removeprefix("/control/")
        if (request.method, name) == ("GET", "requests"):
            found = self.log.render(request.query.get("sub") or None, request.query.get("feature") or None)
            reply.whole(200, found, "application/json")
        elif request.method == "GET":
            reply.json(200, self._tell(name))
        elif (request.method, name) == ("DELETE", "requests"):
            self.log.clear()
            reply.json(200, {})
        else:
            body = parse(request.body or b"{}")
            reply.json(200, self._do(name, body))
            if name == "outage":
                self.outage(_seconds(body, "seconds"))

    def _tell(self, name: str) -> Any:
        if name == "model":
            return self.chat.scripts.waiting()
        if name == "decisions":
            return self.decisions.verdicts.waiting()
        if name == "clock":
            return {"now": self.clock.date().isoformat()}
        raise not_found(f"there is no GET /control/{name}")

    def _do(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        user = body.get("sub") or None
        match name:
            case "model":
                replies = body.get("replies")
                if not isinstance(replies, list):
                    raise invalid("replies is a list; an empty one clears the queue", "replies")
                scripts = [Script.parse(reply) for reply in replies]
                return {"waiting": self.chat.scripts.put(scripts, body.get("feature") or "chat", user)}
            case "decisions":
                said = {name: value for name, value in body.items() if name != "sub" and value}
                verdicts = [Verdict.parse(said)] if said else []
                return {"waiting": self.decisions.script(verdicts, user)}
            case "clock":
                self._move_clock(body)
                return {"now": self.clock.date().isoformat()}
            case "outage":
                return {"seconds": _seconds(body, "seconds")}
            case "search":
                self.search.script(body)
            case "batches":
                self.batches.delay_s = _seconds(body, "delay_s")
            case "reset":
                for part in (self.log, self.chat.scripts, self.chat.cache, self.decisions.verdicts):
                    part.clear()
                self.batches.clear()
                self.files.clear()
                self.search.script({})
            case _:
                raise not_found(f"there is no POST /control/{name}")
        return {}

    def _move_clock(self, body: dict[str, Any]) -> None:
        try:
            if "now" in body:
                self.clock.set(parse_moment(body["now"]))
            else:
                self.clock.advance(float(body["advance_s"]))
        except (KeyError, TypeError, ValueError):
            raise invalid("the clock takes advance_s, in seconds, or now, a moment") from None


def _seconds(body: dict[str, Any], name: str) -> float:
    seconds = body.get(name)
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 <= seconds < 1e9:
        raise invalid(f"{name} is a number of seconds", name)
    return float(seconds)
