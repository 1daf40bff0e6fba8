"""Workers that die on the way."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from lanekeeper.turn.engine import Engine
from tests.integration.turn.conftest import Talk


class Killed(BaseException):
    """Stands for a worker that is gone: nothing in the engine catches it."""


async def kill_once(
    talk: Talk,
    monkeypatch: pytest.MonkeyPatch,
    owner: type,
    method: str,
    *,
    after: bool,
    engine: Engine | None = None,
) -> None:
    """Run a worker that dies before or after one step, then let its lease lapse and take its lane away."""
    original: Callable[..., Awaitable[Any]] = getattr(owner, method)

    async def dying(*args: Any, **kwargs: Any) -> Any:
        if after:
            await original(*args, **kwargs)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(owner, method, dying)
        with pytest.raises(Killed):
            await talk.run(engine or talk.new_engine())
    await talk.lapse()
    await talk.tick.run()
