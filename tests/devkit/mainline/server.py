"""The gateway as one application: which route is answered by whom."""

import sys
import traceback
from collections.abc import Callable
from typing import Any

from tests.devkit.mainline import embeddings, files
from tests.devkit.mainline.batches import Batches
from tests.devkit.mainline.body import parse
from tests.devkit.mainline.caller import bearer, identify
from tests.devkit.mainline.chat import Chat, Demo
from tests.devkit.mainline.clock import Clock
from tests.devkit.mainline.control import Control
from tests.devkit.mainline.decisions import Decisions, Judge
from tests.devkit.mainline.errors import ApiError, not_found
from tests.devkit.mainline.pricing import CAN_USE
from tests.devkit.mainline.requests import RequestLog
from tests.devkit.mainline.search import Search
from tests.devkit.mainline.wire import Reply, Request

ROUTES = {"chat", "decisions", "embeddings", "models", "files", "batches", "audio"}


class Mainline:
    """Every part of the fake, and the routes to them.

    Args:
        key: what ``Authorization: Bearer`` must carry on ``/v1``.
        search_key: the same for ``/search``.
        demo: answers chat requests for which nothing is queued.
        outage: refuses connections for so many seconds.
        judge: answers decisions while nothing was ever scripted for them; without one they are unremarkable.
    """

    def __init__(
        self,
        key: str,
        search_key: str,
        demo: Demo,
        outage: Callable[[float], None],
        judge: Judge | None = None,
    ) -> None:
        self.clock = Clock()
        self.log = RequestLog(self.clock)
        self.chat = Chat(self.clock, self.log, demo)
        self.decisions = Decisions(self.log, judge)
        self.files = files.Files(self.clock)
        self.batches = Batches(self.clock, self.files, self.chat)
        self.search = Search(search_key)
        self.control = Control(
            clock=self.clock,
            log=self.log,
            chat=self.chat,
            decisions=self.decisions,
            batches=self.batches,
            files=self.files,
            search=self.search,
            outage=outage,
        )
        self._key = key

    async def __call__(self, request: Request, reply: Reply) -> None:
        """Answer one request; a refusal in OpenAI's shape, and never an exception."""
        try:
            await self._route(request, reply)
        except ApiError as error:
            if reply.started:
                reply.cut()
            else:
                reply.json(error.status, error.body(), error.headers)
        except Exception as error:  # noqa: BLE001
            traceback.print_exc(file=sys.stderr)
            if reply.started:
                reply.cut()
            else:
                reply.json(500, ApiError(500, f"the fake itself failed: {error!r}", "server_error").body())

    async def _route(self, request: Request, reply: Reply) -> None:
        path = request.path
        # As gateways do, the routes answer with and without the version before them.
        name, _, rest = path.removeprefix("/v1").removeprefix("/").partition("/")
        if name in ROUTES:
            await self._gateway(request, reply, name, rest)
        elif path == "/search" and request.method == "POST":
            await self.search.answer(bearer(request), parse(request.body), reply)
        elif path.startswith("/control/"):
            self.control.answer(request, reply)
        elif path == "/health":
            reply.json(200, {"status": "ok"})
        else:
            raise not_found(f"Unknown request URL: {request.method} {path}")

    async def _gateway(self, request: Request, reply: Reply, name: str, rest: str) -> None:
        match request.method, name, rest:
            case "POST", "chat", "completions":
                caller = identify(request, self._key, "chat")
                await self.chat.answer(request.body, parse(request.body), caller, reply)
            case "POST", "decisions", "":
                caller = identify(request, self._key, "decisions")
                await self.decisions.answer(request.body, parse(request.body), caller, reply)
            case "POST", "embeddings", "":
                caller = identify(request, self._key, "embeddings")
                embeddings.answer(request.body, parse(request.body), caller, reply, self.log)
            case "GET", "models", _:
                identify(request, self._key, "models")
                reply.json(200, _models(rest))
            case _, "files", _:
                identify(request, self._key, "files")
                self._files(request, reply, rest)
            case _, "batches", _:
                self._batches(request, reply, rest)
            case "POST", "audio", _:
                identify(request, self._key, "speech")
                raise ApiError(501, "Speech is not spoken here yet.", "not_implemented")
            case _:
                identify(request, self._key, "")
                raise not_found(f"Unknown request URL: {request.method} {request.path}")

    def _files(self, request: Request, reply: Reply, rest: str) -> None:
        match request.method, rest.partition("/"):
            case "POST", ("", _, _):
                upload = files.read_upload(request.headers.get("content-type", ""), request.body)
                reply.json(200, self.files.add(*upload).about())
            case "GET", ("", _, _):
                reply.json(200, _list(self.files.all()))
            case "GET", (file_id, _, "content"):
                reply.whole(200, self.files.get(file_id).content, "application/octet-stream")
            case "GET", (file_id, _, ""):
                reply.json(200, self.files.get(file_id).about())
            case "DELETE", (file_id, _, ""):
                reply.json(200, self.files.remove(file_id))
            case _:
                raise not_found(f"Unknown request URL: {request.method} {request.path}")

    def _batches(self, request: Request, reply: Reply, rest: str) -> None:
        # A batch without a feature is the note writer's: it is the one that works by night.
        caller = identify(request, self._key, "notes")
        match request.method, rest.partition("/"):
            case "POST", ("", _, _):
                reply.json(200, self.batches.create(parse(request.body), caller))
            case "GET", ("", _, _):
                reply.json(200, _list(self.batches.all()))
            case "GET", (batch_id, _, ""):
                reply.json(200, self.batches.get(batch_id))
            case "POST", (batch_id, _, "cancel"):
                reply.json(200, self.batches.cancel(batch_id))
            case _:
                raise not_found(f"Unknown request URL: {request.method} {request.path}")


def _models(model_id: str) -> dict[str, Any]:
    about = [{"id": name, "object": "model", "created": 0, "owned_by": "mainline"} for name in CAN_USE]
    if not model_id:
        return _list(about)
    for model in about:
        if model["id"] == model_id:
            return model
    raise ApiError(404, f"The model '{model_id}' does not exist.", "model_not_found", param="model")


def _list(data: list[dict[str, Any]]) -> dict[str, Any]:
    ends = (data[0].get("id"), data[-1].get("id")) if data else (None, None)
    return {"object": "list", "data": data, "first_id": ends[0], "last_id": ends[1], "has_more": False}
