"""What a thread holds of uploads over time, and uploads on a lane where workers die and others wait."""

import asyncio
import base64
import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from lanekeeper.mainline.decisions import Decisions
from lanekeeper.maintenance.sweeps import Sweeps
from lanekeeper.postgres import Database
from lanekeeper.turn.checking import Checking
from lanekeeper.turn.engine import Engine
from lanekeeper.turn.intake import Turn
from lanekeeper.uploads.quarantine import Quarantined
from lanekeeper.uploads.reader import Reader
from tests.devkit import samples
from tests.integration.turn.conftest import LIMITS, Talk
from tests.integration.turn.deaths import kill_once
from tests.integration.turn.sender import Sender


@pytest.fixture
def sender(talk: Talk, database_as: Callable[[str], Database]) -> Sender:
    return Sender.of(talk, database_as("accept"))


async def test_the_thread_keeps_no_content_and_the_prefix_changes_once_when_its_time_is_over(
    sender: Sender, database_as: Callable[[str], Database]
) -> None:
    upload_id = await sender.give(samples.png(), "cat.png")
    file_id = await sender.give(b"words of the file", "a.txt")
    await sender.say("Look", upload_id, file_id)
    await sender.talk.script({"text": "A cat, and a note."})
    await sender.talk.run()
    kept = str(await sender.talk.rows("select message from thread_messages"))
    assert upload_id in kept
    assert "words of the file" not in kept
    assert base64.b64encode(samples.png()).decode() not in kept
    await sender.say("And now?")
    await sender.talk.run(sender.talk.new_engine())
    first, second = [one["body"]["messages"] for one in await sender.asked()]
    # All but the block for one reply only.
    assert json.dumps(second).startswith(json.dumps(first[:-1])[:-1])
    await sender.talk.superuser.execute("update uploads set expires_at = lanekeeper.now()")
    await sender.say("Later")
    await sender.talk.run()
    assert (await Sweeps(database_as("maintenance"), LIMITS).run()).uploads == 2
    assert await sender.talk.rows("select id from uploads") == []
    assert await sender.talk.rows("select id from inbox where kind = 'upload'") == []
    await sender.say("Last")
    await sender.talk.run()
    third, fourth = [one["body"]["messages"] for one in await sender.asked()][-2:]
    assert [part["text"] for part in third[1]["content"]] == [
        '[The picture "cat.png" is no longer at hand.]',
        '[The file "a.txt" is no longer at hand.]',
        "Look",
    ]
    assert json.dumps(fourth).startswith(json.dumps(third[:-1])[:-1])


async def test_a_worker_that_dies_in_a_check_is_followed_by_another(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload_id = await sender.give(b"words")
    turn_id = await sender.say("Sum up", upload_id)
    await kill_once(sender.talk, monkeypatch, Reader, "read", after=True)
    assert (await sender.upload(upload_id))["state"] == "checking"
    assert await sender.talk.run(sender.talk.new_engine()) == 1
    row = await sender.upload(upload_id)
    assert (row["state"], row["attempt"], row["text"]) == ("ok", 2, "words")
    assert (await sender.talk.turn(turn_id))["state"] == "done"


async def test_a_call_about_a_picture_is_on_the_books_though_its_worker_dies_in_it_k2(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sender.give(samples.png())
    await kill_once(sender.talk, monkeypatch, Decisions, "ask", after=True)
    await sender.talk.run(sender.talk.new_engine())
    costs = await sender.talk.rows("select user_id, feature, status from costs order by id")
    assert [(row["user_id"], row["feature"], row["status"]) for row in costs] == [
        ("ana", "decisions", "estimated"),
        ("ana", "decisions", "exact"),
    ]


async def test_a_file_that_killed_three_workers_is_refused(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    upload_id = await sender.give(b"words")
    for _ in range(3):
        await kill_once(sender.talk, monkeypatch, Reader, "read", after=False)
    await sender.say("Still there?")
    assert await sender.talk.run(sender.talk.new_engine()) == 1
    row = await sender.upload(upload_id)
    assert (row["state"], row["content"], "could not be read" in row["message"]) == ("refused", None, True)


async def test_a_check_whose_lane_was_taken_writes_nothing(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    upload_id = await sender.give(b"words")
    look = Checking._look

    async def slow(self: Checking, upload: Quarantined, *others: Any) -> Any:
        found = await look(self, upload, *others)
        if upload.attempt == 1:
            await sender.talk.superuser.execute("update lanes set epoch = epoch + 1, holder = null")
        return found

    monkeypatch.setattr(Checking, "_look", slow)
    await sender.talk.run()
    row = await sender.upload(upload_id)
    assert (row["state"], row["attempt"]) == ("ok", 2)
    costs = await sender.talk.rows("select status from costs order by id")
    assert [row["status"] for row in costs] == ["estimated", "exact"], "the call was made, what it came to is not known"


async def test_an_upload_whose_time_was_over_in_quarantine_holds_nobody_up(sender: Sender) -> None:
    await sender.give(b"words")
    await sender.talk.superuser.execute("update uploads set expires_at = lanekeeper.now()")
    await sender.talk.superuser.execute("select lanekeeper.sweep_uploads()")
    await sender.say("Hello?")
    assert await sender.talk.run() == 1


async def test_words_without_a_file_join_a_turn_though_a_file_is_waiting(sender: Sender) -> None:
    """T2: only a message that brings a file waits for one."""
    talk = sender.talk
    await sender.say("First")
    await talk.script({"text": "Hm.", "delay_s": 0.4}, {"text": "Both."})

    async def meanwhile() -> None:
        async def asked() -> bool:
            return bool(await sender.asked())

        await talk.until(asked)
        upload_id = await sender.give(b"words")
        await sender.say("Second")
        await sender.say("Third", upload_id)

    await asyncio.gather(talk.run(), meanwhile())
    rows = await talk.rows("select payload ->> 'text' as text, kind, state from inbox order by id")
    assert [(row["text"], row["kind"], row["state"]) for row in rows] == [
        ("First", "text", "done"),
        (None, "upload", "done"),
        ("Second", "text", "folded"),
        ("Third", "text", "done"),
    ]


async def order_of_work(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Work the lane off; what was done on it, in its order: the text of each message, the name of each file."""
    done: list[str] = []
    check, answer = Checking.run, Engine._run

    async def checking(self: Checking, upload: Quarantined) -> None:
        done.append((await sender.upload(upload.id))["name"])
        await check(self, upload)

    async def answering(self: Engine, turn: Turn, *others: Any) -> None:
        (row,) = await sender.talk.rows("select payload from inbox where turn_id = %s and state = 'running'", turn.id)
        done.append(row["payload"]["text"])
        await answer(self, turn, *others)

    monkeypatch.setattr(Checking, "run", checking)
    monkeypatch.setattr(Engine, "_run", answering)
    await sender.talk.run()
    return done


async def test_a_message_without_a_file_is_answered_before_files_are_read(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.txt", "b.txt"):
        await sender.give(b"words", name)
    await sender.say("No file")
    assert await order_of_work(sender, monkeypatch) == ["No file", "a.txt", "b.txt"]


async def test_a_message_waits_for_its_own_files_and_no_other(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("a.txt", "b.txt", "c.txt")
    _, second, third = [await sender.give(b"words", name) for name in names]
    await sender.say("Two files", second, third)
    assert await order_of_work(sender, monkeypatch) == ["b.txt", "c.txt", "Two files", "a.txt"]


async def test_no_message_overtakes_one_that_waits_for_its_file(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload_id = await sender.give(b"words", "a.txt")
    await sender.say("Its file", upload_id)
    await sender.say("After it")
    assert (await order_of_work(sender, monkeypatch))[:2] == ["a.txt", "Its file"]
    assert await sender.talk.rows("select id from inbox where state not in ('done', 'folded')") == []


async def test_words_do_not_join_a_turn_past_a_message_that_waits_for_its_file(sender: Sender) -> None:
    """T2: what was said first is answered first."""
    talk = sender.talk
    await sender.say("First")
    await talk.script({"text": "Hm.", "delay_s": 0.4}, {"text": "Both."})

    async def meanwhile() -> None:
        async def asked() -> bool:
            return bool(await sender.asked())

        await talk.until(asked)
        upload_id = await sender.give(b"words")
        await sender.say("Second", upload_id)
        await sender.say("Third")

    await asyncio.gather(talk.run(), meanwhile())
    rows = await talk.rows("select payload ->> 'text' as text, state from inbox where kind = 'text' order by id")
    assert [(row["text"], row["state"]) for row in rows] == [("First", "done"), ("Second", "done"), ("Third", "folded")]


async def test_pictures_of_long_ago_make_room_for_new_ones(sender: Sender) -> None:
    limits = {"thread_image_bytes": 3 * len(samples.png())}
    for number in range(4):
        upload_id = await sender.give(samples.png(), f"{number}.png")
        await sender.say(f"Picture {number}", upload_id)
    await sender.talk.run(sender.talk.new_engine(**limits))
    shown = [part for content in await sender.seen() for part in content if part["type"] == "image_url"]
    assert 1 <= len(shown) <= 3
    assert (await sender.seen())[-1][0]["type"] == "image_url"


async def test_what_made_room_does_not_come_back_when_what_came_before_it_is_gone(
    sender: Sender, database_as: Callable[[str], Database]
) -> None:
    limits = {"thread_image_bytes": 3 * len(samples.png())}

    async def asked_with(number: int) -> list[str]:
        upload_id = await sender.give(samples.png(), f"{number}.png")
        await sender.say(f"Picture {number}", upload_id)
        await sender.talk.run(sender.talk.new_engine(**limits))
        return [content[0]["type"] for content in (await sender.seen())[-number - 1 :]]

    for number in range(4):
        before = await asked_with(number)
    first, *_ = await sender.talk.rows("select id from uploads order by created_at, id")
    await sender.talk.superuser.execute("update uploads set expires_at = lanekeeper.now() where id = %s", [first["id"]])
    assert (await Sweeps(database_as("maintenance"), LIMITS).run()).uploads == 1
    assert before == ["text", "text", "text", "image_url"]
    assert await asked_with(4) == [*before, "image_url"]


async def test_a_model_that_cannot_be_sent_pictures_is_told_of_them(sender: Sender) -> None:
    row = Jsonb({"models": [{"id": "blind", "gateway": "small", "sees": False}]})
    await sender.talk.superuser.execute(
        "insert into settings (key, value, changed_by) values ('models', %s, 'test')", [row]
    )
    upload_id = await sender.give(samples.png(), "cat.png")
    await sender.say("Look", upload_id)
    await sender.talk.run()
    ((told, _),) = await sender.seen()
    assert told == {"type": "text", "text": '[The picture "cat.png" cannot be looked at with this model.]'}


async def test_without_a_classifier_a_picture_is_judged_by_a_model_that_can_see_it(sender: Sender) -> None:
    models = [{"id": "blind", "gateway": "small", "sees": False}, {"id": "seeing", "gateway": "large"}]
    await sender.talk.superuser.execute(
        "insert into settings (key, value, changed_by) values ('models', %s, 'test')",
        [Jsonb({"models": models, "decisions": "no_such_model"})],
    )
    await sender.give(samples.png(), "cat.png")
    await sender.talk.run()
    (asked,) = [one for one in await sender.asked("decisions") if "messages" in one["body"]]
    assert asked["body"]["model"] == "large"


async def test_the_log_of_exact_requests_keeps_no_picture(sender: Sender) -> None:
    """D3: a copy there would outlive what the privacy notice says."""
    upload_id = await sender.give(samples.png(), "cat.png")
    await sender.say("Look", upload_id)
    await sender.talk.run(sender.talk.new_engine(request_sample_rate=1))
    (kept,) = await sender.talk.rows("select body from model_requests")
    image, words = kept["body"]["messages"][1]["content"]
    digest = hashlib.sha256(base64.b64encode(samples.png())).hexdigest()
    assert image == {"type": "image_url", "image_url": {"url": f"data:image/png;sha256,{digest}"}}
    assert words == {"type": "text", "text": "Look"}
