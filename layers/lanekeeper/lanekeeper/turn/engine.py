"""The story of one message: its lane is claimed, its turn runs, its reply goes out, the lane is given back."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

import psycopg

from lanekeeper.errors import DatabaseUnreachableError, LaneLostError, LanesLockedError
from lanekeeper.graph import AgentGraph
from lanekeeper.lane import LaneLock, Watch
from lanekeeper.lane.watch import Watched
from lanekeeper.limits import Limits
from lanekeeper.log import forget_person
from lanekeeper.mainline.client import Mainline
from lanekeeper.mainline.decisions import Decisions
from lanekeeper.postgres import Database
from lanekeeper.redact import place
from lanekeeper.replies import ReplyStream
from lanekeeper.tools import Agent
from lanekeeper.turn.checking import Checking
from lanekeeper.turn.deciding import Deciding
from lanekeeper.turn.ending import Ending
from lanekeeper.turn.faults import end_by, is_worth_retrying
from lanekeeper.turn.growth import Growth
from lanekeeper.turn.in_force import InForce, OperatorSettings
from lanekeeper.turn.intake import Intake, Turn
from lanekeeper.turn.judging import Judging
from lanekeeper.turn.meter import TurnMeter
from lanekeeper.turn.recalling import Recalling
from lanekeeper.turn.steps import TurnSteps
from lanekeeper.turn.traced import Tracing, traced

logger = logging.getLogger(__name__)


class Engine:
    """Runs turns, one at a time, in one worker process.

    Args:
        work: the connection of the turn's own transactions.
        lock: the connection whose open transaction holds the lane lock.
        reply: the connection on which text, signs of life and looks go, so that they never wait for work.
        recall: the connection on which memory is searched, so that nothing else waits for it.
        agents: the agents there are, by id.
        mainline: the model client.
        limits: every number.
        holder: the application name that all four connections carry.
        tracing: where the spans of turns go. None: into the database.
        wake_maintenance: has a conversation shortened without waiting for the minute. None: it waits.
    """

    def __init__(
        self,
        *,
        work: Database,
        lock: Database,
        reply: Database,
        recall: Database,
        agents: Mapping[str, Agent],
        mainline: Mainline,
        limits: Limits,
        holder: str,
        tracing: Tracing | None = None,
        wake_maintenance: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._wake_maintenance = wake_maintenance
        self._tracing = tracing or Tracing()
        self._work = work
        self._reply = reply
        self._recall = recall
        self._mainline = mainline
        self._decisions = Decisions(mainline, limits)
        self._settings = OperatorSettings(agents, limits)
        self._limits = limits
        self._lock = LaneLock(lock)
        self._intake = Intake(work, self._lock, holder, limits)
        self._watch = Watch(reply, limits)
        self._checking = Checking(work, self._watch, self._decisions, self._settings, limits)
        self._graph = AgentGraph(
            recursion_limit=limits.recursion_limit, attempts=limits.provider_calls_per_step, retry_on=is_worth_retrying
        )

    async def drain(self, seconds_left: Callable[[], float]) -> int:
        """Run turns until no lane waits or the time left is too short for another; how many ran."""
        turns = locked = 0
        while seconds_left() > self._limits.drain_reserve_s and locked <= self._limits.locked_lane_looks:
            try:
                claim = await self._intake.claim()
                locked = 0
                if claim is None:
                    break
                if claim.postponed:
                    # Whoever has the lane's lock still is about to drop it.
                    await asyncio.sleep(1.1 * self._limits.postponed_s)
                    continue
                if claim.held_back:
                    await self._have_shortened()
                if claim.upload is not None:
                    await self._checking.run(claim.upload)
                if claim.turn is not None:
                    with traced(claim.turn, self._tracing):
                        await self._run(claim.turn, seconds_left)
                    turns += 1
            except LanesLockedError:
                locked += 1
                await asyncio.sleep(self._limits.locked_lane_s)
            except LaneLostError:
                # Somebody else has the lane: there is nothing to clean up that would still be ours.
                logger.warning("the lane was taken away")
            except DatabaseUnreachableError as error:
                # Nothing can be written now. The lease lapses and the tick puts the turn back on its road.
                logger.error("the database is unreachable: %s", place(error))
                break
            finally:
                await self._lock.drop()
                forget_person("turn")
        return turns

    async def _run(self, turn: Turn, seconds_left: Callable[[], float]) -> None:
        in_force = await self._settings.read(self._work, turn)
        meter = TurnMeter(self._work, turn, self._limits, in_force.prices)
        try:
            async with self._watch.over(turn.hold, turn.id) as watched:
                seconds = min(self._limits.turn_s, seconds_left() - self._limits.turn_reserve_s)
                await self._answer(turn, in_force, meter, watched, seconds)
        except psycopg.errors.ForeignKeyViolation:
            # The conversation was deleted while its turn ran: there is nobody left to tell, but the calls were made.
            logger.warning("the conversation of a running turn is gone")
            async with turn.hold.transaction(self._work) as transaction:
                await meter.write(transaction)
            await turn.hold.release(self._work)

    async def _answer(self, turn: Turn, in_force: InForce, meter: TurnMeter, watched: Watched, seconds: float) -> None:
        stream = ReplyStream(self._reply, turn.hold, turn.id, self._limits)
        judging = Judging(self._decisions, turn, in_force, meter, self._limits)
        deciding = Deciding(self._work, turn, judging, in_force.policy, self._limits)
        recalling = Recalling(self._recall, turn, self._limits)
        steps = TurnSteps(
            database=self._work,
            intake=self._intake,
            turn=turn,
            agent=in_force.agent,
            catalogue=in_force.catalogue,
            deciding=deciding,
            recalling=recalling,
            mainline=self._mainline,
            meter=meter,
            stream=stream,
            limits=self._limits,
        )
        growth = Growth(turn, in_force.agent, self._limits)
        ending = Ending(
            database=self._work,
            turn=turn,
            stream=stream,
            steps=steps,
            meter=meter,
            prompt=in_force.agent.prompt,
            growth=growth,
        )
        if turn.attempt > self._limits.turn_deaths + 1:
            await ending.give_up()  # ending it in full was fatal as well
        elif turn.attempt > self._limits.turn_deaths:
            await ending.fail("deaths")
        elif turn.stop_wanted:
            await ending.stop()
        else:
            stops: list[Awaitable[object]] = [watched.until_stopped(), stream.stop_wanted.wait()]
            async with recalling.begun():
                await self._until_ended(turn, steps, ending, stops, seconds)

        if growth.is_too_much:
            await self._have_shortened()

    async def _have_shortened(self) -> None:
        if self._wake_maintenance is not None:
            await self._wake_maintenance()

    async def _think(self, turn: Turn, steps: TurnSteps) -> None:
        async with steps.deciding.begun():
            await turn.thread.load(self._work)
            steps.recalling.begin_with_own()
            await self._graph.run(turn.thread, steps)

    async def _until_ended(
        self, turn: Turn, steps: TurnSteps, ending: Ending, stops: list[Awaitable[object]], seconds: float
    ) -> None:
        """Run the graph until it ends, the person stops it, or its time is over; then end the turn accordingly."""
        run = asyncio.create_task(self._think(turn, steps))
        stopped = [asyncio.ensure_future(stop) for stop in stops]
        try:
            await asyncio.wait({run, *stopped}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            in_time = run.done()
        finally:
            for task in (run, *stopped):
                task.cancel()
            await asyncio.wait({run, *stopped})
        try:
            if in_time:
                await end_by(ending, run.exception())
            elif any(not stop.cancelled() for stop in stopped):
                await ending.stop()
            else:
                await ending.fail("turn_time")
        except (LaneLostError, DatabaseUnreachableError, psycopg.errors.ForeignKeyViolation):
            raise
        except Exception as error:  # noqa: BLE001
            # A turn that cannot be ended would keep its person waiting for ever.
            logger.error("a turn could not be ended: %s", place(error))
            await ending.give_up()
