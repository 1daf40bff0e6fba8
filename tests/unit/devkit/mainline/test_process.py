"""The fake as a process of its own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parents[4]
KEYS = {"MAINLINE_AI_KEY": "a", "SEARCH_API_KEY": "b"}


@pytest.fixture
def process() -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """The running process and the line it printed."""
    command = [sys.executable, "-m", "tests.devkit.mainline", "--port", "0", "--control-port", "0", "--zero-delay"]
    with subprocess.Popen(command, cwd=ROOT, env={**os.environ, **KEYS}, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        yield running, json.loads(running.stdout.readline())
        running.kill()


def test_it_says_where_it_is_heals_from_an_outage_and_ends_on_a_signal(
    process: tuple[subprocess.Popen[str], dict[str, Any]],
) -> None:
    running, urls = process

    def models() -> int:
        headers = {"authorization": "Bearer a"}
        return httpx.get(f"{urls['mainline_url']}/models", headers=headers, trust_env=False).status_code

    def outage(seconds: float) -> None:
        httpx.post(f"{urls['control_url']}/control/outage", json={"seconds": seconds}, trust_env=False)

    assert models() == 200
    outage(600)
    with pytest.raises(httpx.ConnectError):
        models()
    # A later outage takes the place of the one before.
    outage(0)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            assert models() == 200
        except httpx.ConnectError:
            continue
        break
    running.send_signal(signal.SIGTERM)
    assert running.wait(30) == 0
