"""Starting, stopping and starting again: nothing is left behind, and what was kept goes on."""

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

import psutil
import pytest

from tests.devkit.system import System, SystemProcess, someone


@pytest.fixture
def data() -> Iterator[Path]:
    # Not pytest's own: as root, Postgres runs as another user, who may not enter there.
    directory = Path(tempfile.mkdtemp(prefix="lanekeeper-kept-"))
    directory.chmod(0o755)
    yield directory
    rmtree(directory, ignore_errors=True)


def family(process: SystemProcess) -> list[psutil.Process]:
    parent = psutil.Process(process.process.pid)
    return [parent, *parent.children(recursive=True)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_all_children(number: signal.Signals) -> None:
    process = SystemProcess(workers=1)
    running = family(process)
    assert len(running) > 6
    process.process.send_signal(number)
    assert process.process.wait(20) == 0
    _, alive = psutil.wait_procs(running, timeout=5)
    assert alive == []
    process.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent is gone")
def test_kill_minus_9_leaves_no_child_behind() -> None:
    process = SystemProcess(workers=1)
    running = family(process)
    process.process.kill()
    _, alive = psutil.wait_procs(running, timeout=5)
    assert alive == []
    process.stop()


async def test_a_kept_system_goes_on_where_it_was_killed(data: Path) -> None:
    ana = someone("ana")
    process = SystemProcess(data=data, workers=1)
    try:
        async with System(**process.ready) as system:
            await system.follow(ana, first := await system.say(ana, "hello"))
            # The next event reaches a worker that never comes to read it.
            await system.kill("worker", "start", "freeze")
            second = await system.say(ana, "are you there", conversationId=first["conversationId"])
            async with asyncio.timeout(10):
                while await system.orders():
                    await asyncio.sleep(0.02)
        process.process.kill()
    finally:
        process.stop()
    async with System.launched(data=data, workers=1) as system:
        # Its event was a row: it comes again by itself, without a tick.
        reply = await system.follow_to_the_end(ana, second)
        assert reply.ended
        transcript = await system.transcript(ana, first["conversationId"])
        assert [message["role"] for message in transcript] == ["user", "assistant"] * 2


async def test_a_stage_is_part_of_every_address() -> None:
    ana = someone("ana")
    async with System.launched(stage="staging", workers=1, no_freeze=True) as system:
        assert system.url.endswith("/staging")
        assert (await system.http.get(system.url.removesuffix("/staging") + "/health")).status_code >= 400
        accepted = await system.say(ana, "hello")
        assert (await system.follow(ana, accepted)).ended
        answer = await system.request(ana, "POST", "/chat", json={"text": "hello again"}, follow_redirects=True)
        assert answer.status_code == 200
        assert answer.text.endswith("data: [DONE]\n\n")


async def test_the_system_runs_with_fresh_interpreters_as_on_lambda() -> None:
    ana = someone("ana")
    async with System.launched(fresh=True, workers=1) as system:
        await system.advance(3600)
        accepted = await system.say(ana, "what time is it")
        assert (await system.follow(ana, accepted)).ended
        (row,) = await system.sql(
            "select first_reply_at - lanekeeper.now() as apart from turns where user_id = %s", [ana]
        )
        assert abs(row["apart"].total_seconds()) < 60
        await system.kill("worker", "before_model")
        again = await system.say(ana, "and now", conversationId=accepted["conversationId"])
        await system.quiet()
        assert await system.orders() == []
        await system.advance(60)
        await system.tick()
        assert (await system.follow_to_the_end(ana, again)).ended


def test_a_port_that_is_taken_is_said_in_one_line() -> None:
    process = SystemProcess(workers=1)
    try:
        port = process.ready["url"].rpartition(":")[2]
        with pytest.raises(RuntimeError) as raised:
            SystemProcess(port=port)
        assert "--port" in str(raised.value)
        assert "Traceback" not in str(raised.value)
    finally:
        process.stop()


def test_nothing_of_this_machine_reaches_a_function() -> None:
    os.environ["DEVKIT_TEST_SECRET"] = "seen"
    try:
        process = SystemProcess(workers=1)
        try:
            forks = [child for child in family(process) if "fork_server" in " ".join(child.cmdline())]
            assert forks
            assert all("DEVKIT_TEST_SECRET" not in child.environ() for child in forks)
        finally:
            process.stop()
    finally:
        del os.environ["DEVKIT_TEST_SECRET"]
