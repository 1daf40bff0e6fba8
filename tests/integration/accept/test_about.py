"""Who is signed in, what there is to choose from, health, and the page's files."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lanekeeper.settings import SettingsError
from tests.integration.accept.api import Api
from tests.integration.accept.handed_over import put


def test_a_person_sees_who_they_are_before_and_after_they_wrote(api: Api) -> None:
    token = api.token(claims={"name": "Ana", "zoneinfo": "Asia/Tokyo", "cognito:groups": ["staff", "admin"]})
    headers = {"Authorization": f"Bearer {token}"}
    before = api("GET", "/me", headers=headers).json
    unsaid = {"homeCity": None, "planTier": None, "budget": None}
    assert before == {"id": "ana", "name": "Ana", "groups": ["admin", "staff"], "timezone": "Asia/Tokyo", **unsaid}
    assert api.count("users") == 0
    api("POST", "/chat", {"text": "Hi", "timezone": "Europe/Madrid"}, headers=headers)
    assert api("GET", "/me", headers=headers).json == {**before, "timezone": "Europe/Madrid"}
    nameless = {"Authorization": f"Bearer {api.token(claims={'cognito:groups': None})}"}
    assert api("GET", "/me", headers=nameless).json == {
        "id": "ana",
        "name": "Ana",
        "groups": [],
        "timezone": "Europe/Madrid",
        **unsaid,
    }


def test_nobody_is_taken_to_be_in_utc_because_nobody_knows_where_they_are_b4(api: Api) -> None:
    def zones() -> list[str]:
        return [row["timezone"] for row in api.sql("select timezone from users")]

    api.send("Hello")
    api.send("Hello again", timezone="Mars/Olympus")
    api("PUT", "/me/profile", {"homeCity": "Oslo"}, sub="ben")
    assert put(api, b"Hello", "text/plain", sub="cleo").status == 202
    assert zones() == ["", "", ""], "unknown: what a turn is told then is to ask"
    assert api("GET", "/me").json["timezone"] == "UTC"
    token = {"Authorization": f"Bearer {api.token(claims={'zoneinfo': 'Asia/Tokyo'})}"}
    api("POST", "/chat", {"text": "Hi"}, headers=token)
    api.send("From Madrid", sub="ben", timezone="Europe/Madrid")
    assert sorted(zones()) == ["", "Asia/Tokyo", "Europe/Madrid"]


def test_the_catalogue_tells_ids_and_names_only(api: Api) -> None:
    assert api("GET", "/agents").json == {"items": [{"id": "assistant", "name": "Assistant"}], "next": None}
    models = api("GET", "/models").json
    assert [model["id"] for model in models["items"]] == ["small", "large"]
    assert {key for model in models["items"] for key in model} == {"id", "name"}


def test_models_are_switched_in_the_database(make_api: Callable[..., Api]) -> None:
    api = make_api(LIMIT_SETTING_CACHE_S="0")
    setting = json.dumps({"models": [{"id": "fast", "name": "Fast", "gateway": "vendor/secret-9"}]})
    api.sql("insert into settings (key, value, changed_by) values ('models', %s, 'test')", setting)
    reply = api("GET", "/models")
    assert reply.json["items"] == [{"id": "fast", "name": "Fast"}]
    assert b"secret" not in reply.body
    assert api.send("Hi", modelId="fast").status == 202
    assert api.send("Hi", modelId="small").status == 422


def test_being_up_needs_nothing(api: Api) -> None:
    reply = api("GET", "/health", sub=None)
    assert (reply.status, reply.json) == (200, {"status": "ok"})


class Gateway:
    """A model gateway's list of models, as it may answer."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.status = 200
        self.models = ["small", "large"]
        self.url = ""


@contextmanager
def gateway_of_models() -> Iterator[Gateway]:
    gateway = Gateway()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            gateway.asked.append(self.path)
            body = json.dumps({"object": "list", "data": [{"id": one} for one in gateway.models]}).encode()
            self.send_response(gateway.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    gateway.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield gateway
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_being_ready_means_that_database_and_model_are_there(make_api: Callable[..., Api]) -> None:
    with gateway_of_models() as gateway:
        api = make_api(MAINLINE_BASE_URL=gateway.url)
        for _ in range(3):
            reply = api("GET", "/health/ready", sub=None)
            assert (reply.status, reply.json) == (200, {"status": "ok", "checks": {"database": "ok", "model": "ok"}})
        assert len(gateway.asked) == 1, "the gateway's answer is believed for some seconds"


def test_what_is_not_ready_is_named(make_api: Callable[..., Api]) -> None:
    with gateway_of_models() as gateway:
        api = make_api(MAINLINE_BASE_URL=gateway.url, LIMIT_READY_CACHE_S="0")
        for gateway.status, gateway.models in ((500, ["small"]), (200, ["other"])):
            reply = api("GET", "/health/ready", sub=None)
            assert (reply.status, reply.json["checks"]) == (503, {"database": "ok", "model": "failed"})
            assert "model" in reply.json["error"]["message"]
        gateway.models = ["small"]
        away = make_api(MAINLINE_BASE_URL=gateway.url, DATABASE_URL="postgresql://lanekeeper_accept@127.0.0.1:9/none")
        reply = away("GET", "/health/ready", sub=None)
        assert (reply.status, reply.json["checks"]["database"]) == (503, "failed")


def test_the_page_is_served_next_to_the_routes(make_api: Callable[..., Api], tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<!doctype html>")
    api = make_api(page=tmp_path, PAGE_CONFIG=json.dumps({"mode": "dev", "demoModel": True}))
    reply = api("GET", "/", sub=None)
    assert (reply.status, reply.headers["cache-control"]) == (200, "no-cache")
    assert api("GET", "/config.json", sub=None).json == {
        "mode": "dev",
        "issuer": "https://issuer.example",
        "clientId": "web-client",
        "scopes": "openid profile",
        "demoModel": True,
    }


@pytest.mark.parametrize("text", ["nonsense", "[]", "5"])
def test_a_page_configuration_that_is_none_is_said_at_start(make_api: Callable[..., Api], text: str) -> None:
    with pytest.raises(SettingsError, match="PAGE_CONFIG"):
        make_api(PAGE_CONFIG=text)


def test_without_a_page_the_rest_still_works(api: Api) -> None:
    assert api("GET", "/", sub=None).code == "not_found"
    assert api("GET", "/health", sub=None).status == 200
