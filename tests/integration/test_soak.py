"""Thirty seeded schedules of crashes, repeats, outages and bursts; ``python3 run.py soak`` runs more.

After each, every promise of ``tests/devkit/soak/promises.py`` must hold: each message answered exactly once and in
order, the client and the transcript agreeing, no two turns of one person at once, nothing left behind.
"""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.devkit.soak import trial
from tests.devkit.soak.schedule import Schedule
from tests.devkit.system import System, SystemProcess

SCHEDULES, TOGETHER = 30, 3


@pytest.fixture(scope="module")
def process() -> Iterator[SystemProcess]:
    running = SystemProcess(trial.LIMITS, workers=16, zero_delay=True)
    yield running
    running.stop()


@pytest.fixture
async def system(process: SystemProcess) -> AsyncIterator[System]:
    async with System(**process.ready) as running:
        yield running


@pytest.mark.parametrize("first_seed", range(1, SCHEDULES + 1, TOGETHER))
async def test_every_promise_holds_whatever_happens_to_the_machines(system: System, first_seed: int) -> None:
    story = await trial.run(system, *(Schedule.of(seed) for seed in range(first_seed, first_seed + TOGETHER)))
    assert not story.broken, story.text()
