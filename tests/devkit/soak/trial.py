"""Schedules, run side by side against a running system, and the calm after them."""

import asyncio
from contextlib import suppress

import httpx

from tests.devkit.soak.person import Person
from tests.devkit.soak.promises import broken_promises
from tests.devkit.soak.schedule import Schedule, Weather
from tests.devkit.soak.story import Story
from tests.devkit.system import System

# Short, so that a lost machine is noticed in seconds. What holds with these holds with longer ones.
LIMITS = {
    "LIMIT_LEASE_S": "2",
    "LIMIT_HEARTBEAT_S": "0.5",
    "LIMIT_WATCH_S": "0.2",
    "LIMIT_LOST_WAKE_S": "1",
    "LIMIT_KEEP_ALIVE_S": "1",
    "LIMIT_STREAM_SEEN_S": "1",
    "LIMIT_STREAM_ANSWER_S": "1",
    "LIMIT_STREAM_AWAY_S": "8",
}
TICK_S = 0.5
PATIENCE_S = 45

WAITING = """
select (select count(*) from inbox where user_id = any(%(people)s) and state in ('new', 'running', 'waiting', 'held'))
     + (select count(*) from turns where user_id = any(%(people)s) and state in ('queued', 'running'))
     + (select count(*) from outbox where user_id = any(%(people)s) and state = 'new')
     + (select count(*) from lanes where user_id = any(%(people)s) and (holder is not null or ready_at is not null))
  as waiting
"""


async def run(system: System, *schedules: Schedule) -> Story:
    """Play schedules side by side and tell what became of them. Their weather falls on everybody."""
    story = Story([schedule.seed for schedule in schedules])
    cast = [
        (Person(system, story, f"player-{schedule.seed}-{number}"), player)
        for schedule in schedules
        for number, player in enumerate(schedule.players)
    ]
    people = [person for person, _ in cast]
    for person, player in cast:
        await system.model(*player.replies, sub=person.sub)
        await system.token(person.sub)
    storms = [asyncio.create_task(_storm(system, schedule, story)) for schedule in schedules]
    try:
        try:
            async with asyncio.timeout(PATIENCE_S):
                await asyncio.gather(
                    *(person.play(player.messages) for person, player in cast), _calm(system, story, people, storms)
                )
        except TimeoutError:
            story.broken.append(f"not quiet after {PATIENCE_S} s")
        if any(schedule.thaw for schedule in schedules):
            await _thaw(system, story)
        story.unmet = [f"{order['function']} at {order['at']}" for order in await system.orders()]
        await system.recall()
        await settle(system, [person.sub for person in people])
        for person in people:
            story.broken += await broken_promises(system, person)
    finally:
        for storm in storms:
            storm.cancel()
        await asyncio.gather(*storms, return_exceptions=True)
        for person in people:
            try:
                await person.finish()
            except Exception as error:  # noqa: BLE001 - the story must be told, this part of it too
                story.broken.append(f"{person.sub}: cannot be followed to the end: {error!r}")
            await system.model(sub=person.sub)
        await system.recall()
    return story


async def settle(system: System, people: list[str], patience_s: float = 10) -> bool:
    """Tick until nothing of these people waits or runs; whether that came in time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(patience_s):
            while await _waiting(system, people):
                await system.tick()
                await asyncio.sleep(TICK_S)
            return True
    return False


async def _waiting(system: System, people: list[str]) -> int:
    (row,) = await system.sql(WAITING, {"people": people})
    return int(row["waiting"])


async def _storm(system: System, schedule: Schedule, story: Story) -> None:
    """Let the weather happen, each event in its time."""
    began = asyncio.get_running_loop().time()
    for event in schedule.weather:
        await asyncio.sleep(max(0.0, began + event.at_s - asyncio.get_running_loop().time()))
        story.tell(str(event))
        await _happen(system, event)


async def _happen(system: System, event: Weather) -> None:
    match event.what:
        case "kill":
            await system.kill(event.function, event.point, event.how)
        case "outage":
            await system.outage(event.seconds, event.function)
        case "repeat":
            await system.repeat("worker", event.delays_s)
        case "clock":
            await system.advance(event.seconds)
        case "tick":
            with suppress(httpx.HTTPError, AssertionError):  # the database may be away, or the tick's own machine lost
                async with asyncio.timeout(2):
                    await system.tick()


async def _calm(system: System, story: Story, people: list[Person], storms: "list[asyncio.Task[None]]") -> None:
    """Tick on, as pg_cron does, until the storm is over, every stream has ended and nothing waits."""
    subs = [person.sub for person in people]
    while True:
        await asyncio.sleep(TICK_S)
        with suppress(httpx.HTTPError, AssertionError, TimeoutError):
            async with asyncio.timeout(2):
                await system.tick()
        over = all(storm.done() for storm in storms)
        answered = all(person.sent and not person.reading for person in people)
        if over and answered and not await _waiting(system, subs):
            story.tell("quiet")
            return


async def _thaw(system: System, story: Story) -> None:
    """Whoever was frozen runs on, finds its lane taken, and must write nothing."""
    for function in ("worker", "stream", "accept"):
        await system.dev("thaw", {"function": function})
    story.tell("frozen machines run on")
    await asyncio.sleep(0.3)
