"""Remembering and forgetting inside a turn, written with the results of their calls (W2, W4, W5)."""

import json
from typing import Any

import pytest

from lanekeeper.memory.refusals import Refusal
from lanekeeper.turn.engine import Engine
from lanekeeper.turn.steps import TurnSteps
from tests.integration.turn.conftest import Talk
from tests.integration.turn.deaths import kill_once
from tests.integration.turn.reading import is_valid_history
from toolsets import memory

SAID = "remember that my sister is called Ana"
BODY = "My sister is called Ana"


def remember(body: str = BODY, subject: str = "sister's name", kind: str = "fact") -> dict[str, Any]:
    return {"calls": [{"name": "memory_remember", "args": {"kind": kind, "subject": subject, "body": body}}]}


def forget(subject: str = "sister's name") -> dict[str, Any]:
    return {"calls": [{"name": "memory_forget", "args": {"subject": subject}}]}


@pytest.fixture
def engine(talk: Talk) -> Engine:
    return talk.new_engine(tools=memory.tools())


async def turn(talk: Talk, engine: Engine, text: str, *replies: dict[str, Any], **options: Any) -> dict[str, str]:
    sent = await talk.say(text, **options)
    await talk.script(*replies, {"text": "Well."})
    await talk.run(engine)
    return sent


async def notes(talk: Talk) -> list[tuple[str, str]]:
    """The notes that stand, oldest first."""
    rows = await talk.rows("select subject, body from notes where replaced_by is null order by saved_at, id")
    return [(row["subject"], row["body"]) for row in rows]


async def last_result(talk: Talk) -> dict[str, Any]:
    """What the last call came to, as the model read it."""
    messages = (await talk.requests())[-1]["body"]["messages"]
    content = [message["content"] for message in messages if message["role"] == "tool"][-1]
    return dict(json.loads(content))


def holds(request: dict[str, Any], word: str) -> bool:
    return word in json.dumps(request["body"], ensure_ascii=False)


async def test_remember_this_writes_in_the_same_turn_with_the_message_it_comes_from_w4(
    talk: Talk, engine: Engine
) -> None:
    sent = await turn(talk, engine, SAID, remember())
    (note,) = await talk.rows("select * from notes")
    assert (note["user_id"], note["kind"], note["subject"], note["body"]) == ("ana", "fact", "sister name", BODY)
    assert (note["source"], note["source_message_id"]) == ("stated", sent["message_id"])
    assert (await last_result(talk))["state"] == "kept"


async def test_a_fact_of_an_earlier_message_is_kept_with_that_message(talk: Talk, engine: Engine) -> None:
    first = await turn(talk, engine, "My sister is called Ana, by the way")
    await turn(talk, engine, "remember that, please", remember())
    (note,) = await talk.rows("select source_message_id from notes")
    assert note["source_message_id"] == first["message_id"]


async def test_a_correction_takes_the_place_of_what_it_contradicts_in_the_same_turn_w2(
    talk: Talk, engine: Engine
) -> None:
    await turn(talk, engine, "remember that my sister is called Eva", remember("My sister is called Eva"))
    await talk.judge(refers_to_earlier=1.0)
    await turn(talk, engine, "no, my sister is called Ana", remember(), conversation_id="another")
    assert await notes(talk) == [("sister name", BODY)]
    kept = await talk.rows("select body, replaced_by is null as stands from notes order by saved_at, id")
    assert [tuple(row.values()) for row in kept] == [("My sister is called Eva", False), (BODY, True)]
    before, after = (
        [message["content"] for message in one["body"]["messages"]] for one in (await talk.requests())[-2:]
    )
    assert "called Eva" in before[-1]
    assert "called Eva" not in after[-1], "the next request of the same turn no longer recalls what was put right"


async def test_a_correction_is_told_what_it_took_the_place_of_so_that_the_rest_of_it_can_be_kept_w2(
    talk: Talk, engine: Engine
) -> None:
    before = "My sister Ana lives in Oslo and has two cats"
    await turn(talk, engine, f"remember: {before}", remember(before, "sister"))
    assert "replaced" not in await last_result(talk), "nothing stood there"
    await turn(talk, engine, "no, my sister lives in Rome now", remember("My sister lives in Rome", "sister"))
    result = await last_result(talk)
    assert (result["state"], result["replaced"]) == ("kept", before)
    assert "a subject of its own" in result["next"]
    assert await notes(talk) == [("sister", "My sister lives in Rome")]


@pytest.mark.parametrize(
    ("said", "body", "refused"),
    [
        ("remember my card 4111 1111 1111 1111", "My card is 4111 1111 1111 1111", Refusal.CARD),
        ("remember my password is hunter2!", "My password is hunter2!", Refusal.SECRET),
        ("I was diagnosed with diabetes", "I was diagnosed with diabetes", Refusal.HEALTH),
        ("my sister's phone number is 0170 1234567", "My sister's phone number is 0170 1234567", Refusal.OTHERS),
        ("ok thanks", "The customer lives in Oslo", Refusal.UNGROUNDED),
    ],
)
async def test_what_must_not_be_kept_is_refused_with_the_reason_w5(
    talk: Talk, engine: Engine, said: str, body: str, refused: Refusal
) -> None:
    await turn(talk, engine, said, remember(body, subject="it"))
    assert await notes(talk) == []
    error = (await last_result(talk))["error"]
    assert error["message"] == refused.value
    assert error["retryable"] == (refused in {Refusal.OTHERS, Refusal.UNGROUNDED})
    assert error["next_step"]


async def test_health_that_the_person_asks_to_be_kept_is_kept_w5(talk: Talk, engine: Engine) -> None:
    await turn(talk, engine, "please remember that I have diabetes", remember("I have diabetes", subject="health"))
    assert await notes(talk) == [("health", "I have diabetes")]


async def test_forget_that_takes_it_out_of_notes_and_of_the_very_next_request_w4_b062(
    talk: Talk, engine: Engine
) -> None:
    await turn(talk, engine, SAID, remember())
    await talk.judge(refers_to_earlier=1.0)
    sent = len(await talk.requests())
    await turn(talk, engine, "forget my sister's name", forget())
    assert await notes(talk) == []
    assert (await last_result(talk))["state"] == "forgotten"
    before, after = (await talk.requests())[sent:]
    assert "Ana" not in before["body"]["messages"][-1]["content"], "the request itself does not bring it up"
    assert not holds(after, "Ana")
    assert is_valid_history(after["body"]["messages"][1:])
    await talk.judge(refers_to_earlier=1.0)
    await turn(talk, engine, "what is my sister called?")
    assert not holds((await talk.requests())[-1], "Ana")
    said = [text for role, text in await talk.history() if role == "user"]
    assert SAID in said, "the transcript keeps the person's words"


async def test_a_forget_request_that_states_the_fact_does_not_pass_it_on_either_w4(talk: Talk, engine: Engine) -> None:
    await turn(talk, engine, SAID, remember())
    sent = len(await talk.requests())
    await turn(talk, engine, "forget that my sister is called Ana", forget())
    _, after = (await talk.requests())[sent:]
    assert not holds(after, "Ana")
    assert is_valid_history(after["body"]["messages"][1:])


async def test_of_several_that_could_be_meant_nothing_is_forgotten_and_they_are_named_w4(
    talk: Talk, engine: Engine
) -> None:
    await turn(talk, engine, "remember that I fly to Lisbon in May", remember("I fly to Lisbon in May", "trip in may"))
    await turn(talk, engine, "remember that I fly to Lisbon in June", remember("I fly to Lisbon in June", "june trip"))
    await turn(talk, engine, "forget Lisbon", forget("Lisbon"))
    assert len(await notes(talk)) == 2
    message = (await last_result(talk))["error"]["message"]
    assert "trip in may" in message
    assert "june trip" in message


async def test_where_nothing_is_kept_nothing_is_said_to_be_forgotten(talk: Talk, engine: Engine) -> None:
    await turn(talk, engine, "forget my shoe size", forget("shoe size"))
    assert (await last_result(talk))["error"]["message"] == "Nothing is kept about that."


async def test_who_wants_all_forgotten_is_not_told_that_nothing_is_kept(talk: Talk, engine: Engine) -> None:
    await turn(talk, engine, "forget all that you know", forget("everything"), {"text": "Which one?"})
    error = (await last_result(talk))["error"]
    assert error["message"] == "That is no single subject, so nothing is forgotten."


async def test_a_worker_that_dies_before_a_result_is_recorded_has_kept_nothing_and_the_next_keeps_it_once(
    talk: Talk, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk.say(SAID)
    await talk.script(remember(), {"text": "Noted."})
    await kill_once(talk, monkeypatch, TurnSteps, "run_tools", after=True, engine=engine)
    assert await notes(talk) == []
    await talk.run(talk.new_engine(tools=memory.tools()))
    assert len(await talk.rows("select * from notes")) == 1
    assert (await last_result(talk))["state"] == "kept"


async def test_a_worker_that_dies_once_a_forgetting_is_recorded_leaves_the_next_nothing_to_tell_w4(
    talk: Talk, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await turn(talk, engine, SAID, remember())
    await talk.say("forget that my sister is called Ana")
    await talk.script(forget(), {"text": "Done."}, {"text": "Done."})
    sent = len(await talk.requests())
    await kill_once(talk, monkeypatch, TurnSteps, "act", after=True, engine=engine)
    assert await notes(talk) == []
    await talk.run(talk.new_engine(tools=memory.tools()))
    first, *later = (await talk.requests())[sent:]
    assert holds(first, "Ana")
    assert [holds(request, "Ana") for request in later] == [False]


async def test_notes_are_the_persons_own_whatever_a_call_says_b064(talk: Talk, engine: Engine) -> None:
    await turn(talk, engine, SAID, remember())
    args = {"subject": "sister's name", "user_id": "ana"}
    sent = await talk.say("forget ana's sister's name", user_id="ben")
    response = await talk.http.post(
        "/control/model",
        json={
            "sub": "ben",
            "replies": [{"calls": [{"name": "memory_forget", "args": args}]}, forget(), {"text": "Hm."}],
        },
    )
    assert response.status_code == 200
    await talk.run(engine)
    assert (await talk.turn(sent["turn_id"]))["state"] == "done"
    assert await notes(talk) == [("sister name", BODY)]
