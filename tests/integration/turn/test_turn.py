"""One message, answered: what is written, shown and charged (B1, L1, L4, E4, K2)."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest

from lanekeeper.conversations import Conversations
from lanekeeper.errors import LaneLostError
from lanekeeper.lane import Hold
from lanekeeper.limits import Limits
from lanekeeper.replies import ReplyStream
from tests.devkit.postgres import Postgres
from tests.integration.turn.conftest import Talk, kinds, text_of

SEARCH = {"text": "Let me look.", "calls": [{"name": "test_look", "args": {"query": "owls"}}]}


async def test_a_message_is_answered_once_and_everything_is_closed(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": "Hello Ana, how are you?"})
    assert await talk.run() == 1

    assert await talk.history() == [("user", "hello"), ("assistant", "Hello Ana, how are you?")]
    turn = await talk.turn(sent["turn_id"])
    assert (turn["state"], turn["attempt"], turn["prompt_version"], turn["model_id"]) == ("done", 1, "v1", "small")
    assert turn["usage"]["outputTokens"] > 0
    assert turn["timings"]["firstReplyMs"] <= turn["timings"]["totalMs"]
    assert await talk.rows("select state from inbox") == [{"state": "done"}]
    assert await talk.rows("select state, idempotency_key from outbox") == [
        {"state": "sent", "idempotency_key": f"reply:{sent['turn_id']}"}
    ]
    lane = (await talk.rows("select * from lanes"))[0]
    assert (lane["holder"], lane["ready_at"], lane["turn_id"]) == (None, None, None)
    assert [row["status"] for row in await talk.rows("select status from costs where feature = 'chat'")] == ["exact"]
    assert await talk.run() == 0


async def test_the_stream_has_the_contracts_order_and_shows_what_is_stored(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": "Hello."})
    await talk.run()
    chunks = await talk.chunks(sent["turn_id"])
    assert kinds(chunks) == [
        "start",
        "data-conversation",
        "data-turn",
        "start-step",
        "text-start",
        "text-end",
        "finish-step",
        "finish",
    ]
    assert chunks[0]["messageId"] == sent["reply_id"]
    assert chunks[1] == {
        "type": "data-conversation",
        "data": {"id": sent["conversation_id"], "title": "A talk"},
        "transient": True,
    }
    metadata = chunks[-1]["messageMetadata"]
    assert metadata["turnId"] == sent["turn_id"]
    assert metadata["modelId"] == "small"
    assert set(metadata) == {"turnId", "modelId", "usage", "timings"}
    stored = (await talk.rows("select id, parts from messages where role = 'assistant'"))[0]
    assert stored["id"] == sent["reply_id"]
    assert text_of(stored["parts"]) == "".join(c["delta"] for c in chunks if c["type"] == "text-delta")


async def test_b027_a_tool_stands_between_two_texts_with_sources_shown(talk: Talk) -> None:
    sent = await talk.say("owls?")
    await talk.script(SEARCH, {"text": "Found it."})
    await talk.run()
    chunks = await talk.chunks(sent["turn_id"])
    assert kinds(chunks)[3:-1] == [
        "start-step",
        "text-start",
        "text-end",
        "tool-input-available",
        "tool-output-available",
        "source-url",
        "finish-step",
        "start-step",
        "text-start",
        "text-end",
        "finish-step",
    ]
    starts = [chunk["id"] for chunk in chunks if chunk["type"] == "text-start"]
    assert len(set(starts)) == 2
    tool = next(chunk for chunk in chunks if chunk["type"] == "tool-output-available")
    assert tool["output"] == {"answer": "about owls"}
    assert tool["dynamic"] is True
    assert await talk.history() == [("user", "owls?"), ("assistant", "Let me look. | Found it.")]
    assert len(await talk.rows("select * from costs where feature = 'chat' and status = 'exact'")) == 2


async def test_the_model_sees_the_whole_conversation_in_order(talk: Talk) -> None:
    for text, reply in (("one", "first"), ("two", "second"), ("three", "third")):
        await talk.say(text)
        await talk.script({"text": reply})
        await talk.run()
    sent = [(m["role"], m["content"]) for m in (await talk.requests())[-1]["body"]["messages"]]
    assert sent[0] == ("system", "You help.")
    assert sent[1:-1] == [
        ("user", "one"),
        ("assistant", "first"),
        ("user", "two"),
        ("assistant", "second"),
        ("user", "three"),
    ]
    assert sent[-1][1].startswith("For this reply only")


async def test_b072_each_request_begins_with_the_one_before_it(talk: Talk) -> None:
    for text in ("one", "two", "three"):
        await talk.say(text)
        await talk.script(SEARCH, {"text": f"answer to {text}"})
        await talk.run(talk.new_engine())
    requests = await talk.requests()
    for earlier, later in pairwise(requests):
        kept = earlier["body"]["messages"][:-1]
        assert later["body"]["messages"][: len(kept)] == kept
        assert later["body"]["tools"] == earlier["body"]["tools"]
    assert requests[-1]["cached_tokens"] > 0


async def test_switching_the_model_leaves_the_history_untouched(talk: Talk) -> None:
    await talk.say("one")
    await talk.run()
    sent = await talk.say("two")
    await talk.superuser.execute("update turns set model_id = 'large' where id = %s", [sent["turn_id"]])
    await talk.run()
    first, second = await talk.requests()
    assert (first["body"]["model"], second["body"]["model"]) == ("small", "large")
    assert second["body"]["messages"][:2] == first["body"]["messages"][:2]


async def test_the_default_model_is_a_setting_in_the_database(talk: Talk) -> None:
    await talk.superuser.execute(
        "insert into settings (key, value, changed_by) values "
        """('models', '{"models": [{"id": "small"}, {"id": "large"}], "default": "large"}', 'test')"""
    )
    await talk.say("one")
    await talk.run()
    assert (await talk.requests())[0]["body"]["model"] == "large"


async def test_a_deleted_conversation_ends_its_running_turn_quietly(talk: Talk) -> None:
    await talk.say("one")
    await talk.script({"text": "never mind", "delay_s": 0.3})
    running = asyncio.create_task(talk.run())

    async def asked() -> bool:
        return len(await talk.requests()) == 1

    await talk.until(asked)
    await talk.superuser.execute("delete from conversations")
    await running
    assert await talk.rows("select * from messages") == []
    assert (await talk.rows("select holder from lanes"))[0]["holder"] is None


async def test_the_exact_request_is_kept_for_sampled_turns_and_for_no_others(talk: Talk) -> None:
    await talk.say("one")
    await talk.run()
    assert await talk.rows("select * from model_requests") == []
    await talk.say("two")
    await talk.run(talk.new_engine(request_sample_rate=1))
    kept = await talk.rows("select turn_id, body from model_requests")
    assert [(row["turn_id"], row["body"]) for row in kept] == [
        (talk.sent[-1]["turn_id"], (await talk.requests())[-1]["body"])
    ]


async def test_what_is_for_this_reply_only_is_never_stored(talk: Talk) -> None:
    await talk.say("one")
    await talk.script({"text": "Hello."})
    await talk.run()
    stored = await talk.rows(
        "select message::text as kept from thread_messages union all select parts::text from messages"
    )
    assert (await talk.requests())[0]["body"]["messages"][-1]["content"].startswith("For this reply only")
    assert not any("For this reply only" in row["kept"] for row in stored)


async def test_a_turn_is_traced_with_its_prompt_and_its_timings(talk: Talk) -> None:
    sent = await talk.say("owls?")
    await talk.script(SEARCH, {"text": "Found it."})
    await talk.run()
    turn = await talk.turn(sent["turn_id"])
    assert (turn["prompt_version"], turn["prompt_hash"]) == ("v1", "hash")
    assert set(turn["timings"]) == {"queuedMs", "firstReplyMs", "modelMs", "toolsMs", "totalMs"}
    assert turn["first_reply_at"] <= turn["finished_at"]


async def test_a_conversation_deleted_while_its_reply_streams_leaves_nothing_but_the_bill(
    talk: Talk, database_as: Any
) -> None:
    sent = await talk.say("one")
    await talk.script({"text": "one two three four five six seven eight nine ten", "token_delay_ms": 40})
    running = asyncio.create_task(talk.run())

    async def has_text() -> bool:
        return any(chunk["type"] == "text-delta" for chunk in await talk.chunks(sent["turn_id"]))

    await talk.until(has_text)
    await Conversations(database_as("accept"), Limits()).delete("ana", sent["conversation_id"])
    await running
    for table in ("messages", "reply_chunks", "turns", "inbox", "outbox", "thread_messages", "conversations"):
        assert await talk.rows(f"select * from {table}") == [], table
    assert (await talk.rows("select holder from lanes"))[0]["holder"] is None
    cost = (await talk.rows("select * from costs where feature = 'chat'"))[0]
    assert cost["input_tokens"] > 0


async def test_a_thread_that_cannot_be_read_costs_its_own_turn_and_nobody_elses(talk: Talk) -> None:
    await talk.say("one")
    await talk.run()
    await talk.superuser.execute("""update thread_messages set message = '{"type": "oracle", "id": "x"}'""")
    broken = await talk.say("two")
    await talk.say("hello", user_id="ben")
    assert await talk.run() == 2
    assert (await talk.turn(broken["turn_id"]))["state"] == "failed"
    assert (await talk.rows("select state from inbox where user_id = 'ben'"))[0]["state"] == "done"


async def test_no_words_of_a_person_reach_the_log_of_postgres(
    talk: Talk, database_as: Any, postgres_server: Postgres
) -> None:
    sent = await talk.say("hello")
    stream = ReplyStream(database_as("worker"), Hold("ana", 99), sent["turn_id"], Limits())
    stream.begin_step(1)
    stream.text(1, "the magpie nests in the old elm")
    with pytest.raises(LaneLostError):
        await stream.flush()
    log = (postgres_server.directory / "log").read_text()
    assert "the lane is held by another" in log
    assert "magpie" not in log


async def test_a_holding_line_is_shown_for_slow_work_only_and_never_kept(talk: Talk) -> None:
    quick = await talk.say("owls?")
    await talk.script(SEARCH, {"text": "Found it."})
    await talk.run()
    slow = await talk.say("slow owls?")
    await talk.script({"calls": [{"name": "test_look", "args": {"query": "slow"}}]}, {"text": "No luck."})
    await talk.run(talk.new_engine(holding_line_s=0.05))
    assert "data-status" not in kinds(await talk.chunks(quick["turn_id"]))
    assert kinds(await talk.chunks(slow["turn_id"])).count("data-status") == 1
    stored = await talk.rows("select parts::text as parts from messages")
    assert not any("One moment" in row["parts"] for row in stored)
