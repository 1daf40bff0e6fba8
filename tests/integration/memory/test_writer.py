"""The note writer reads what the person wrote and nobody has read, once, and keeps what code lets through (W3)."""

import json
from typing import Any

import pytest

from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.shape import MisfitError
from lanekeeper.memory.answer import NOT_THEIRS
from lanekeeper.memory.refusals import Refusal
from lanekeeper.memory.writer import Written
from tests.integration.memory.conftest import Transcript, note

SISTER = note("My sister is called Ana", "m1", "sister name")
COFFEE = note("has two coffees a day", "m2", "coffee")


def asked(request: dict[str, Any]) -> str:
    """All that a request says."""
    return json.dumps(request["body"]["messages"], ensure_ascii=False)


def shown(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines of the conversation as the writer is shown them."""
    lines = request["body"]["messages"][1]["content"].split("The conversation:\n")[1]
    return [json.loads(line) for line in lines.split("\n")]


async def sister_and_coffee(talk: Transcript) -> None:
    await talk.say("m1", "Hello! My sister is called Ana")
    await talk.say("r1", "What a fine name.", role="assistant")
    await talk.say("m2", "I have two coffees a day")


async def test_what_a_person_said_becomes_notes_once(talk: Transcript) -> None:
    await sister_and_coffee(talk)
    await talk.script([SISTER, COFFEE])
    assert await talk.writer.write("ana", "conv_ana") == Written(segments=1, saved=2)
    assert await talk.standing() == [("sister name", "My sister is called Ana"), ("coffee", "has two coffees a day")]
    assert await talk.position() == 3
    assert await talk.writer.write("ana", "conv_ana") == Written()
    assert len(await talk.requests()) == 1


async def test_each_note_points_to_the_message_it_comes_from(talk: Transcript) -> None:
    await sister_and_coffee(talk)
    await talk.script([SISTER, COFFEE])
    await talk.writer.write("ana", "conv_ana")
    rows = await talk.rows("select n.subject, m.parts from notes n join messages m on m.id = n.source_message_id")
    assert {row["subject"]: row["parts"][0]["text"] for row in rows} == {
        "sister name": "Hello! My sister is called Ana",
        "coffee": "I have two coffees a day",
    }


async def test_the_answer_may_be_the_arguments_of_a_call(talk: Transcript) -> None:
    await sister_and_coffee(talk)
    await talk.script({"calls": [{"name": "Notes", "args": {"notes": [SISTER]}}]})
    assert (await talk.writer.write("ana", "conv_ana")).saved == 1


async def test_only_what_is_new_is_read_and_the_question_that_it_answers(talk: Transcript) -> None:
    await sister_and_coffee(talk)
    await talk.say("r2", "And where do you live?", role="assistant")
    await talk.script([], [note("Lives in Oslo", "m3", "home", kind="fact")])
    await talk.writer.write("ana", "conv_ana")
    await talk.say("m3", "I live in Oslo")
    assert await talk.writer.write("ana", "conv_ana") == Written(segments=1, saved=1)
    assert [line["text"] for line in shown((await talk.requests())[-1])] == ["And where do you live?", "I live in Oslo"]


async def test_a_correction_in_a_later_talk_takes_the_place_of_what_was_said_b060(talk: Transcript) -> None:
    await talk.say("day1", "I don't drink coffee")
    await talk.say("day5", "I have two coffees a day now", talk="later")
    await talk.say("day6", "No coffee for me tonight, I avoid caffeine", talk="last")
    await talk.script(
        [note("does not drink coffee", "day1", "coffee", kind="dislike")],
        [note("has two coffees a day", "day5", "coffee")],
        [note("avoids caffeine", "day6", "coffee", source="inferred")],
    )
    for conversation in ("conv_ana", "later", "last"):
        await talk.writer.write("ana", conversation)
    assert await talk.standing() == [("coffee", "has two coffees a day")]
    assert len(await talk.rows("select from notes where replaced_by is not null")) == 1
    # What is known is named to the writer, so that it calls the same thing by the same name.
    assert 'Known subjects: ["coffee"]' in (await talk.requests())[1]["body"]["messages"][1]["content"]


async def test_what_others_said_is_shown_as_theirs_and_never_kept_b066(talk: Transcript) -> None:
    tool = {
        "type": "dynamic-tool",
        "toolName": "test_look",
        "toolCallId": "c",
        "state": "output-available",
        "input": {"query": "customer"},
        "output": {"answer": "customer lives in Oslo"},
    }
    await talk.say("m1", "ok thanks")
    await talk.say(
        "r1",
        "",
        role="assistant",
        parts=[
            {"type": "reasoning", "text": "Recalled: likes jazz"},
            tool,
            {"type": "text", "text": "you seem to be a pilot"},
        ],
    )
    junk = [
        note("lives in Oslo", "m1", "home"),
        note("is a pilot", "m1", "job", source="inferred"),
        note("is a pilot", "r1", "job"),
        note("Write one fact per note and never save passwords", "m1", "rules"),
        note("likes jazz", "m1", "music", kind="preference"),
    ]
    await talk.script(junk, junk)
    assert await talk.writer.write("ana", "conv_ana") == Written(segments=1, saved=0, refused=5)
    assert await talk.rows("select from notes") == []
    first = (await talk.requests())[0]
    assert "Oslo" not in asked(first)
    assert "jazz" not in asked(first)
    assert shown(first) == [
        {"from": "person", "id": "m1", "day": shown(first)[0]["day"], "text": "ok thanks"},
        {"from": "assistant", "text": "you seem to be a pilot"},
    ]


async def test_bodies_of_notes_and_summaries_are_not_read_again_b066(talk: Transcript) -> None:
    await talk.say("m1", "My sister is called Ana")
    await talk.script([SISTER], [])
    await talk.writer.write("ana", "conv_ana")
    await talk.superuser.execute(
        "insert into summaries (conversation_id, user_id, body, covers_until) "
        "values ('conv_ana', 'ana', 'likes jazz', 1)"
    )
    await talk.say("m2", "How late is it?")
    await talk.writer.write("ana", "conv_ana")
    last = asked((await talk.requests())[-1])
    assert "called Ana" not in last
    assert "jazz" not in last


async def test_a_note_is_of_the_person_whose_messages_were_read_whatever_it_claims_b064(talk: Transcript) -> None:
    await talk.say("ben1", "I like oolong", user_id="ben")
    await talk.say("m1", "I am user ben and I like oolong")
    claims = note("likes oolong", "m1", "tea") | {"user_id": "ben", "id": "note_1"}
    await talk.script([claims, note("likes oolong", "ben1", "tea")], [note("likes oolong", "ben1", "tea")])
    assert await talk.writer.write("ana", "conv_ana") == Written(segments=1, saved=1, refused=1)
    assert await talk.standing("ben") == []
    assert await talk.standing("ana") == [("tea", "likes oolong")]
    assert await talk.writer.write("ana", "conv_ben") == Written()
    assert (await talk.position("conv_ben")) is None


async def test_what_is_refused_goes_back_once_with_the_reason_w5(talk: Transcript) -> None:
    await talk.say("m1", "My wifi is called Tulip and its password is hunter2")
    await talk.say("m2", "I have two coffees a day")
    secret = note("The wifi is called Tulip, password: hunter2", "m1", "wifi")
    await talk.script(
        [secret, COFFEE, note("x", "nowhere") | {"kind": "secret"}], [note("wifi is called Tulip", "m1", "wifi")]
    )
    assert await talk.writer.write("ana", "conv_ana") == Written(segments=1, saved=2, refused=1)
    assert await talk.standing() == [("coffee", "has two coffees a day"), ("wifi", "wifi is called Tulip")]
    first, second = await talk.requests()
    assert second["body"]["messages"][: len(first["body"]["messages"])] == first["body"]["messages"]
    told = second["body"]["messages"][-1]["content"]
    assert Refusal.SECRET.value in told
    assert "kind: Input should be" in told
    assert "coffee" not in told


@pytest.mark.parametrize("second", [{"error": 500}, {"text": "I would rather not."}, {"text": "[]"}])
async def test_a_correction_that_does_not_come_leaves_what_was_good(talk: Transcript, second: dict[str, Any]) -> None:
    await talk.say("m1", "My password is hunter2")
    await talk.say("m2", "I have two coffees a day")
    await talk.script([note("The password is hunter2", "m1", "password"), COFFEE], second)
    assert await talk.writer.write("ana", "conv_ana") == Written(segments=1, saved=1, refused=1)
    assert await talk.position() == 2


async def test_what_is_refused_twice_is_left_out_and_not_asked_about_again(talk: Transcript) -> None:
    await talk.say("m1", "My password is hunter2")
    wrong = [note("The password is hunter2", "m1", "password"), note("lives in Oslo", "elsewhere", "home")]
    await talk.script(wrong, wrong)
    assert await talk.writer.write("ana", "conv_ana") == Written(segments=1, saved=0, refused=2)
    requests = await talk.requests()
    assert len(requests) == 2
    assert NOT_THEIRS in asked(requests[1])


async def test_health_is_kept_only_where_the_message_itself_asks_for_it_w5(talk: Transcript) -> None:
    await talk.say("m1", "I was diagnosed with asthma")
    await talk.say("m2", "Please remember that I am allergic to nuts")
    notes = [note("was diagnosed with asthma", "m1", "asthma"), note("is allergic to nuts", "m2", "nuts")]
    await talk.script(notes, [])
    assert await talk.writer.write("ana", "conv_ana") == Written(segments=1, saved=1, refused=1)
    assert await talk.standing() == [("nuts", "is allergic to nuts")]


async def test_an_answer_of_another_form_is_told_so_once(talk: Transcript) -> None:
    await sister_and_coffee(talk)
    await talk.script({"text": "There is nothing to note."}, {"text": 'Here:\n```json\n{"notes": []}\n```'})
    assert await talk.writer.write("ana", "conv_ana") == Written(segments=1)
    assert "does not fit" in asked((await talk.requests())[1])


async def test_messages_that_no_usable_answer_comes_about_are_passed_over_in_the_end(talk: Transcript) -> None:
    await sister_and_coffee(talk)
    await talk.script(*[{"text": "no"}] * 6)
    for _ in range(2):
        with pytest.raises(MisfitError):
            await talk.writer.write("ana", "conv_ana")
        assert await talk.position() == 0
    assert await talk.writer.write("ana", "conv_ana") == Written(passed_over=1)
    assert await talk.position() == 3
    assert [row["kind"] for row in await talk.rows("select kind from limit_hits")] == ["notes_unread"]
    await talk.say("m3", "I live in Oslo")
    await talk.script([note("lives in Oslo", "m3", "home")])
    assert (await talk.writer.write("ana", "conv_ana")).saved == 1


@pytest.mark.parametrize("fault", [{"error": 503}, {"error": "cut"}])
async def test_a_call_that_fails_changes_nothing_and_is_on_the_books(talk: Transcript, fault: dict[str, Any]) -> None:
    await sister_and_coffee(talk)
    await talk.script(fault, [SISTER])
    with pytest.raises(MainlineError):
        await talk.writer.write("ana", "conv_ana")
    assert await talk.position() is None
    assert [failed for _, failed in talk.books.settled_calls] == [True]
    assert await talk.writer.write("ana", "conv_ana") == Written(segments=1, saved=1)
    assert {(call.feature, call.user_id, call.turn_id) for call in talk.books.opened_calls} == {("notes", "ana", None)}
