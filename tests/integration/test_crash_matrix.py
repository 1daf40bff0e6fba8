"""The crash matrix: every function lost at every named point in every way, and each message still answered once.

What is checked afterwards is in ``tests/devkit/soak/promises.py``: one reply a message, in order, the transcript and
what the client showed the same, nothing charged or remembered twice, nothing left running (B044, B046).
"""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.devkit import kill_points
from tests.devkit.soak import trial
from tests.devkit.soak.schedule import HOWS, Message, Player, Schedule, Weather
from tests.devkit.system import System, SystemProcess

REPLIES = (
    {"text": "Let me look that up.", "calls": [{"name": "web_search", "args": {"query": "lighthouse"}}]},
    {"text": "A lighthouse shows ships the way at night, and warns them of rocks by day.", "token_delay_ms": 8},
)


@pytest.fixture(scope="module")
def process() -> Iterator[SystemProcess]:
    running = SystemProcess(trial.LIMITS, workers=6, zero_delay=True)
    yield running
    running.stop()


@pytest.fixture
async def system(process: SystemProcess) -> AsyncIterator[System]:
    async with System(**process.ready) as running:
        yield running


def schedule(*weather: Weather, thaw: bool = False) -> Schedule:
    """Ana writes twice, the second time while the first is being answered; bob writes once meanwhile."""
    ana = Player((Message("what is a lighthouse", 0.2), Message("and who keeps it", 0.3)), REPLIES * 3)
    bob = Player((Message("good morning", 0.3),), ({"text": "Good morning."},))
    return Schedule(0, (ana, bob), weather, thaw)


async def survive(system: System, weather: Weather, *, thaw: bool = False) -> None:
    story = await trial.run(system, schedule(weather, thaw=thaw))
    assert not story.broken, story.text()
    assert not story.unmet, f"nobody came by {story.unmet}"


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("at", sorted(kill_points.names("worker")))
async def test_a_worker_is_lost_and_nothing_is_lost_or_said_twice(system: System, at: str, how: str) -> None:
    await survive(system, Weather(0, "kill", "worker", at, how))


@pytest.mark.parametrize("at", ["claimed", "mid_stream", "after_model", "before_commit", "after_commit"])
async def test_a_worker_that_was_only_slow_finds_its_lane_taken_and_writes_nothing(system: System, at: str) -> None:
    await survive(system, Weather(0, "kill", "worker", at, "freeze"), thaw=True)


@pytest.mark.parametrize("how", HOWS)
async def test_accept_is_lost_after_its_commit_and_the_message_is_taken_in_once(system: System, how: str) -> None:
    await survive(system, Weather(0, "kill", "accept", "after_commit", how))


@pytest.mark.parametrize("how", HOWS)
async def test_a_stream_is_lost_in_mid_reply_and_the_client_reads_on(system: System, how: str) -> None:
    await survive(system, Weather(0, "kill", "stream", "mid_stream", how))


@pytest.mark.parametrize("how", HOWS)
async def test_the_rescuer_itself_is_lost(system: System, how: str) -> None:
    """B046: the tick's own machine dies while a dead worker waits to be found."""
    story = await trial.run(
        system,
        schedule(Weather(0, "kill", "worker", "mid_stream", "kill"), Weather(0, "kill", "maintenance", "start", how)),
    )
    assert not story.broken, story.text()


@pytest.mark.parametrize("at", ["before_model", "mid_stream", "before_commit", None])
@pytest.mark.parametrize(("count", "answers"), [(3, 2), (6, 3)])
async def test_messages_sent_while_the_model_thinks_share_answers_though_the_worker_is_lost(
    system: System, at: str | None, count: int, answers: int
) -> None:
    """T2: 0.3 s apart, to a model that needs 2 s for its first word. What is lost of a turn is only time."""
    messages = (Message("one", 0), *(Message(f"and {number}", 0.3) for number in range(1, count)))
    slow = {"text": "All of them are read, and this is about each.", "delay_s": 2, "token_delay_ms": 8}
    weather = [Weather(0, "kill", "worker", at, "kill")] if at else []
    story = await trial.run(system, Schedule(0, (Player(messages, (slow,) * 9),), tuple(weather)))
    assert not story.broken, story.text()
    assert not story.unmet, f"nobody came by {story.unmet}"
    (row,) = await system.sql(
        "select count(distinct i.turn_id) as turns from inbox i join turns t on t.id = i.turn_id "
        "where i.user_id = (select user_id from inbox order by id desc limit 1)",
        {},
    )
    assert 1 <= row["turns"] <= (1 if at is None and count == 3 else answers)


async def test_the_database_is_away_for_five_seconds(system: System) -> None:
    await survive(system, Weather(0.6, "outage", "database", seconds=5))


async def test_an_event_that_comes_four_times_is_answered_once(system: System) -> None:
    """B044: asynchronous invokes are delivered at least once, at once and later."""
    await survive(system, Weather(0, "repeat", delays_s=(0.0, 0.0, 1.0)))


async def test_a_worker_dies_three_times_in_one_turn_and_the_person_gets_the_honest_line(system: System) -> None:
    deaths = [Weather(0, "kill", "worker", "before_model", "kill")] * 3
    story = await trial.run(system, schedule(*deaths))
    assert not story.broken, story.text()
