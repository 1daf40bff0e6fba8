"""New messages join the running turn, and never more than that (T2)."""

import asyncio

from tests.integration.turn.conftest import Talk


async def test_three_short_messages_get_one_answer(talk: Talk) -> None:
    first = await talk.say("hello")
    second = await talk.say("are you there")
    third = await talk.say("I need help")
    await talk.script({"text": "Yes, I am here."})
    assert await talk.run() == 1
    rows = await talk.rows("select accepted_turn_id, turn_id, state from inbox order by id")
    assert [(row["state"], row["turn_id"]) for row in rows] == [
        ("done", first["turn_id"]),
        ("folded", first["turn_id"]),
        ("folded", first["turn_id"]),
    ]
    assert await talk.rows("select id from turns") == [{"id": first["turn_id"]}]
    assert len(await talk.history()) == 4
    joined = [c["data"] for c in await talk.chunks(first["turn_id"]) if c["type"] == "data-joined"]
    assert joined == [{"messageId": second["message_id"]}, {"messageId": third["message_id"]}]


async def test_a_message_of_another_conversation_takes_the_next_turn(talk: Talk) -> None:
    await talk.say("one")
    await talk.say("other", conversation_id="conv_other")
    await talk.say("two")
    assert await talk.run() == 2
    states = [row["state"] for row in await talk.rows("select state from inbox order by id")]
    assert states == ["done", "done", "folded"]


async def test_a_message_for_another_agent_takes_the_next_turn(talk: Talk) -> None:
    await talk.say("one")
    await talk.say("for somebody else", agent_id="other")
    await talk.say("two")
    await talk.run()
    rows = await talk.rows(
        "select i.turn_id, i.state, t.agent_id from inbox i join turns t on t.id = i.turn_id order by i.id"
    )
    assert [(row["state"], row["agent_id"]) for row in rows][::2] == [("done", "assistant"), ("folded", "assistant")]
    assert rows[1]["agent_id"] == "other"
    assert rows[1]["turn_id"] != rows[0]["turn_id"]
    assert "for somebody else" not in str((await talk.requests())[0]["body"])


async def test_nothing_joins_past_a_button(talk: Talk) -> None:
    await talk.say("one")
    await talk.say("yes", kind="button")
    await talk.say("two")
    assert await talk.run() == 3


async def test_b005_a_message_after_the_last_look_is_answered_without_a_nudge(talk: Talk) -> None:
    first = await talk.say("A")
    await talk.script({"text": "Answer to A", "token_delay_ms": 60}, {"text": "Answer to B"})
    running = asyncio.create_task(talk.run())

    async def has_text() -> bool:
        return any(chunk["type"] == "text-delta" for chunk in await talk.chunks(first["turn_id"]))

    await talk.until(has_text)
    await talk.say("B")
    assert await running == 2
    assert await talk.history() == [
        ("user", "A"),
        ("assistant", "Answer to A"),
        ("user", "B"),
        ("assistant", "Answer to B"),
    ]


async def test_once_words_are_out_what_comes_waits_though_the_model_is_asked_again_to_finish_them(talk: Talk) -> None:
    first = await talk.say("A")
    await talk.script(
        {"text": "Owls hunt at night and", "token_delay_ms": 60, "error": "cut"},
        {"text": "hear very well."},
        {"text": "Answer to B"},
    )
    running = asyncio.create_task(talk.run())

    async def has_text() -> bool:
        return any(chunk["type"] == "text-delta" for chunk in await talk.chunks(first["turn_id"]))

    await talk.until(has_text)
    await talk.say("B")
    assert await running == 2
    asked, answer, *rest = [text for _, text in await talk.history()]
    assert (asked, rest) == ("A", ["B", "Answer to B"])
    assert answer.startswith("Owls ")
    assert answer.endswith("hear very well.")


async def test_what_is_sent_before_the_first_word_is_out_is_answered_with_it(talk: Talk) -> None:
    first = await talk.say("A table for two")
    await talk.script({"text": "For which day?", "delay_s": 0.3}, {"text": "For three, then. Which day?"})
    running = asyncio.create_task(talk.run())

    async def asked() -> bool:
        return len(await talk.requests()) == 1

    await talk.until(asked)
    second = await talk.say("no, three")
    assert await running == 1
    assert await talk.history() == [
        ("user", "A table for two"),
        ("user", "no, three"),
        ("assistant", "For three, then. Which day?"),
    ]
    shown = [chunk for chunk in await talk.chunks(first["turn_id"]) if chunk["type"] in {"data-joined", "start-step"}]
    assert [chunk["type"] for chunk in shown] == ["start-step", "data-joined"]
    assert shown[1]["data"] == {"messageId": second["message_id"]}
    assert len(await talk.rows("select * from costs where feature = 'chat' and status <> 'failed'")) == 2


async def test_a_turn_restarts_twice_at_most_and_the_rest_waits_for_the_next(talk: Talk) -> None:
    await talk.say("0")
    await talk.script(*[{"text": f"answer {number}", "delay_s": 0.2} for number in range(5)])
    running = asyncio.create_task(talk.run())
    for number in range(1, 4):

        async def asked(times: int = number) -> bool:
            return len(await talk.requests()) == times

        await talk.until(asked)
        await talk.say(str(number))
    assert await running == 2
    assert await talk.history() == [
        ("user", "0"),
        ("user", "1"),
        ("user", "2"),
        ("assistant", "answer 2"),
        ("user", "3"),
        ("assistant", "answer 3"),
    ]


async def test_another_answer_to_a_message_never_joins_a_running_turn(talk: Talk) -> None:
    await talk.say("one")
    await talk.say("one", kind="button")
    assert await talk.run() == 2
    assert [row["state"] for row in await talk.rows("select state from inbox order by id")] == ["done", "done"]
