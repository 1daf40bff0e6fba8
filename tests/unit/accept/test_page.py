"""The page's files: a strict policy, long caching, and no way out of their folder."""

import json
from pathlib import Path

import pytest

from lanekeeper.accept.page import Page
from lanekeeper.errors import Problem

CONFIG = {"issuer": "https://issuer.example/pool", "tokenEndpoint": "https://sign.example/token", "mode": "oidc"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    built = tmp_path / "dist"
    (built / "assets" / "fonts").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (built / "notes.txt").write_text("not served")
    (built / "index.html").write_text("<!doctype html><title>Lanekeeper</title>")
    (built / "assets" / "app-1a2b.js").write_text("export {}")
    (built / "assets" / "app-1a2b.css").write_text("body {}")
    (built / "assets" / "fonts" / "face-9f.woff2").write_bytes(b"\x00\xff\xfe")
    return built


def test_the_page_stands_under_a_strict_policy(folder: Path) -> None:
    reply = Page(folder, CONFIG).index()
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert reply.headers["cache-control"] == "no-cache"
    policy = dict(part.split(" ", 1) for part in reply.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'self'"
    assert policy["connect-src"] == "'self' https://issuer.example https://sign.example"
    assert "script-src" not in policy, "scripts are of this host only, and never inline"
    assert policy["frame-ancestors"] == "'none'"


@pytest.mark.parametrize("issuer", ["http://127.0.0.1:8000", "https:///", None, 5, "https://a.example;script-src *"])
def test_only_an_https_host_enters_the_policy(folder: Path, issuer: object) -> None:
    policy = Page(folder, {"issuer": issuer}).index().headers["content-security-policy"]
    assert "connect-src 'self';" in policy
    assert "script-src" not in policy


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("app-1a2b.js", "text/javascript; charset=utf-8"),
        ("app-1a2b.css", "text/css; charset=utf-8"),
        ("fonts/face-9f.woff2", "font/woff2"),
    ],
)
def test_assets_are_kept_for_ever(folder: Path, name: str, kind: str) -> None:
    reply = Page(folder, CONFIG).asset(name)
    assert reply.body == (folder / "assets" / name).read_bytes()
    assert reply.headers["content-type"] == kind
    assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    "name", ["../../secret.txt", "../index.html", "../notes.txt", "", "/etc/passwd", "\x00", "fonts", "none.js"]
)
def test_no_name_leads_out_of_the_folder(folder: Path, name: str) -> None:
    with pytest.raises(Problem) as refused:
        Page(folder, CONFIG).asset(name)
    assert refused.value.status == 404


def test_the_configuration_is_told_as_it_is(folder: Path) -> None:
    assert json.loads(bytes(Page(folder, CONFIG).config().body)) == CONFIG


@pytest.mark.parametrize("folder", [None, Path("/nowhere")])
def test_a_function_without_a_page_says_so(folder: Path | None) -> None:
    with pytest.raises(Problem) as refused:
        Page(folder, CONFIG).index()
    assert refused.value.status == 404
