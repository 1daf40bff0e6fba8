"""The page's files, as the build left them in one folder."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.responses import Response

from lanekeeper.errors import Problem

# A build names each asset after its content, so what has this name never changes.
_FOR_EVER = "public, max-age=31536000, immutable"
_ASK_FIRST = "no-cache"
# What a build leaves. Named here, since what a machine knows of media types differs from machine to machine.
_KINDS = {
    ".css": "text/css",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}
_ORIGIN = re.compile(r"https://[A-Za-z0-9.-]+(:[0-9]+)?(?=/|$)")


class Page:
    """Serves ``index.html``, ``config.json`` and ``assets/``. All of the page's own addresses are relative.

    Args:
        folder: the built page; None when there is none.
        config: what the page must know before anyone signs in. Its https endpoints are the only other hosts that
            the page may talk to.
    """

    def __init__(self, folder: Path | None, config: Mapping[str, Any]) -> None:
        self._config = dict(config)
        self._headers = {
            "Content-Security-Policy": _policy(config),
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "no-referrer",
            "Permissions-Policy": "camera=(), geolocation=(), microphone=(self)",
            "Cross-Origin-Opener-Policy": "same-origin",
        }
        self._files = _files(folder) if folder and folder.is_dir() else {}

    def index(self) -> Response:
        """The page itself.

        Raises:
            Problem: 404 when this function was packaged without one.
        """
        return self._file("index.html", _ASK_FIRST)

    def config(self) -> Response:
        """The page's configuration, public."""
        return Response(json.dumps(self._config), media_type="application/json", headers={"Cache-Control": _ASK_FIRST})

    def asset(self, name: str) -> Response:
        """One file of ``assets/``. Only what was there at the start has a name, so no path leads out of the folder.

        Raises:
            Problem: 404.
        """
        return self._file(f"assets/{name}", _FOR_EVER)

    def _file(self, name: str, caching: str) -> Response:
        path = self._files.get(name)
        if path is None:
            raise Problem(404, "not_found", "There is nothing at this address.", "Check the address.")
        kind = _KINDS.get(path.suffix, "application/octet-stream")
        headers = {**self._headers, "Cache-Control": caching}
        return Response(path.read_bytes(), media_type=kind, headers=headers)


def _files(folder: Path) -> dict[str, Path]:
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path for name, path in found.items() if name == "index.html" or name.startswith("assets/")}


def _policy(config: Mapping[str, Any]) -> str:
    endpoints = (config.get(name) for name in ("issuer", "authorizationEndpoint", "tokenEndpoint"))
    origins = {match[0] for url in endpoints if isinstance(url, str) and (match := _ORIGIN.match(url))}
    return "; ".join(
        (
            "default-src 'self'",
            # blob: is what the page itself has fetched, such as a person's own picture.
            "img-src 'self' data: blob:",
            "style-src 'self' 'unsafe-inline'",
            " ".join(("connect-src 'self'", *sorted(origins))),
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )
