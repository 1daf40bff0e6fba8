"""Stop, delete, a person, a complaint, danger: code acts before any model, with its own row and line (D5, D6)."""

import json
from typing import Any

import pytest

from lanekeeper.decisions import Act
from lanekeeper.decisions.lines import line, lines
from lanekeeper.redact import hashed
from lanekeeper.turn.ending import Ending
from tests.integration.turn.conftest import Talk, kinds
from tests.integration.turn.deaths import kill_once


async def reply_to(talk: Talk, text: str, **verdict: Any) -> str:
    if verdict:
        await talk.judge(**verdict)
    await talk.say(text)
    await talk.run()
    role, said = (await talk.history())[-1]
    assert role == "assistant"
    return said


async def consents(talk: Talk) -> list[tuple[str, bool]]:
    return [(row["topic"], row["given"]) for row in await talk.rows("select topic, given from consents")]


async def jobs(talk: Talk) -> list[dict[str, Any]]:
    return await talk.rows("select * from deletion_jobs")


async def items(talk: Talk) -> list[dict[str, Any]]:
    return await talk.rows("select * from staff_items order by kind")


async def test_stop_alone_withdraws_consent_at_once_without_classifier_or_model(talk: Talk) -> None:
    turn_id = (await talk.say("STOP", kind="control"))["turn_id"]
    await talk.run()
    assert await talk.history() == [("user", "STOP"), ("assistant", line(Act.OPT_OUT, "en"))]
    assert await consents(talk) == [("proactive", False)]
    assert await talk.requests() == await talk.requests("decisions") == []
    turn = await talk.turn(turn_id)
    assert (turn["state"], turn["failure"]) == ("done", None)
    assert turn["first_reply_at"] is not None


async def test_delete_alone_asks_for_the_deletion_at_once_and_a_repeat_changes_nothing(talk: Talk) -> None:
    for _ in range(2):
        await talk.say("DELETE", kind="control")
        await talk.run()
    (job,) = await jobs(talk)
    assert (job["user_id"], job["subject_hash"]) == ("ana", hashed("ana"))
    assert (job["step"], job["state"]) == ("requested", "new")
    assert await talk.requests() == []
    assert (await talk.history())[-1] == ("assistant", line(Act.DELETE, "en"))


async def test_an_orders_line_is_in_the_language_the_person_wrote_in_before(talk: Talk) -> None:
    await talk.say("Ich möchte gern wissen, wie das Wetter wird und was ich anziehen soll")
    await talk.script({"text": "Warm."})
    await talk.run()
    await talk.say("STOP", kind="control")
    await talk.run()
    assert (await talk.history())[-1] == ("assistant", line(Act.OPT_OUT, "de"))


@pytest.mark.parametrize(
    ("verdict", "yes", "language"),
    [
        ({"delete_request": 0.9}, "Yes, please!", "en"),
        ({"delete_request": 0.9, "language": "de"}, "ja", "de"),
        ({"opt_out": 0.9, "language": "ja"}, "はい", "ja"),
        ({"opt_out": 0.9, "language": "pl"}, "yes", "en"),
    ],
)
async def test_loose_wording_is_asked_about_once_and_yes_does_it(
    talk: Talk, verdict: dict[str, Any], yes: str, language: str
) -> None:
    deletes = "delete_request" in verdict
    asked, done = (Act.ASK_DELETE, Act.DELETE) if deletes else (Act.ASK_OPT_OUT, Act.OPT_OUT)
    assert await reply_to(talk, "some loose wording", **verdict) == line(asked, language)
    assert await jobs(talk) == await consents(talk) == []
    assert [row["state"] for row in await talk.rows("select state from control_confirms")] == ["asked"]
    assert await reply_to(talk, yes) == line(done, language)
    assert (len(await jobs(talk)), len(await consents(talk))) == (deletes, not deletes)
    assert [row["state"] for row in await talk.rows("select state from control_confirms")] == ["confirmed"]
    assert await talk.requests() == []


async def test_the_exact_word_confirms_as_well(talk: Talk) -> None:
    await reply_to(talk, "please get rid of me", delete_request=0.9)
    await talk.say("DELETE", kind="control")
    await talk.run()
    assert len(await jobs(talk)) == 1
    (confirm,) = await talk.rows("select * from control_confirms")
    assert confirm["state"] == "confirmed"


async def test_anything_but_yes_goes_on_as_an_ordinary_chat_and_a_later_yes_confirms_nothing(talk: Talk) -> None:
    await reply_to(talk, "wipe me", delete_request=0.9)
    await talk.script({"text": "Fine, nothing was deleted."}, {"text": "Yes to what?"})
    assert await reply_to(talk, "no, not really") == "Fine, nothing was deleted."
    assert await reply_to(talk, "yes") == "Yes to what?"
    assert await jobs(talk) == []


async def test_yes_after_the_question_has_expired_confirms_nothing(talk: Talk) -> None:
    await reply_to(talk, "wipe me", delete_request=0.9)
    await talk.superuser.execute("update control_confirms set expires_at = lanekeeper.now() - interval '1 second'")
    await talk.script({"text": "Yes to what?"})
    assert await reply_to(talk, "yes") == "Yes to what?"
    assert await jobs(talk) == []


async def test_yes_that_was_sent_before_the_question_was_asked_confirms_nothing(talk: Talk) -> None:
    await talk.judge(delete_request=0.9)
    await talk.say("wipe me")
    await talk.say("yes")
    await talk.script({"text": "Yes to what?"})
    await talk.run()
    assert [said for _, said in await talk.history()] == ["wipe me", line(Act.ASK_DELETE, "en"), "yes", "Yes to what?"]
    assert await jobs(talk) == []


async def test_yes_in_another_conversation_confirms_nothing(talk: Talk) -> None:
    await reply_to(talk, "wipe me", delete_request=0.9)
    await talk.script({"text": "Yes to what?"})
    await talk.say("yes", conversation_id="conv_other")
    await talk.run()
    assert await jobs(talk) == []


async def test_a_complaint_opens_one_item_with_a_fixed_line_and_a_second_one_no_other(talk: Talk) -> None:
    first = await reply_to(talk, "your service is a disgrace", complaint=0.95)
    second = await reply_to(talk, "I mean it, a disgrace", complaint=0.95)
    assert first == second == line(Act.COMPLAINT, "en")
    (item,) = await items(talk)
    assert (item["kind"], item["state"], item["conversation_id"]) == ("complaint", "open", "conv_ana")
    assert item["summary"] == "your service is a disgrace"


async def test_an_item_that_was_closed_makes_room_for_the_next(talk: Talk) -> None:
    await reply_to(talk, "get me a person", wants_human=0.95)
    await talk.superuser.execute("update staff_items set state = 'closed'")
    await reply_to(talk, "a person again", wants_human=0.95)
    assert sorted(item["state"] for item in await items(talk)) == ["closed", "open"]


async def test_a_complaint_with_a_wish_for_a_person_opens_both_items(talk: Talk) -> None:
    said = await reply_to(talk, "awful, give me a human", complaint=0.95, wants_human=0.95)
    assert said == line(Act.HAND_OVER, "en")
    assert [item["kind"] for item in await items(talk)] == ["complaint", "handover"]


async def test_clear_risk_gets_the_help_of_the_persons_country_from_code_and_no_model(talk: Talk) -> None:
    await talk.judge(risk=0.95, language="es")
    await talk.say("ya no puedo más")
    await talk.superuser.execute("update users set timezone = 'Europe/Madrid'")
    await talk.run()
    _, said = (await talk.history())[-1]
    assert said.startswith(lines()["crisis"].es.split("\n")[0])
    assert "024" in said
    assert await talk.requests() == []


async def test_a_mere_hint_of_risk_is_the_models_to_answer(talk: Talk) -> None:
    await talk.script({"text": "That sounds hard."})
    assert await reply_to(talk, "I feel low", risk=0.8) == "That sounds hard."


async def test_another_subject_gets_one_friendly_redirect_and_then_the_model(talk: Talk) -> None:
    assert await reply_to(talk, "be my girlfriend", out_of_scope=0.95) == line(Act.REDIRECT, "en")
    await talk.script({"text": "I am software."})
    assert await reply_to(talk, "come on", out_of_scope=0.95) == "I am software."


@pytest.mark.parametrize(("policy", "asks_the_model"), [("stop", False), ("careful", True), ("ignore", True)])
async def test_the_young_are_treated_by_the_operators_policy(talk: Talk, policy: str, asks_the_model: bool) -> None:
    await talk.superuser.execute(
        "insert into settings (key, value, changed_by) values ('decisions', %s, 'test')",
        [json.dumps({"under_age": policy})],
    )
    await talk.script({"text": "Sure."})
    said = await reply_to(talk, "im 12", under_age=0.95)
    assert said == ("Sure." if asks_the_model else line(Act.UNDER_AGE, "en"))


async def test_a_fixed_line_is_streamed_stored_and_remembered_as_any_reply_is(talk: Talk) -> None:
    turn_id = (await talk.say("human!"))["turn_id"]
    await talk.judge(wants_human=0.95)
    await talk.run()
    chunks = await talk.chunks(turn_id)
    assert kinds(chunks) == [
        "start", "data-conversation", "data-turn", "start-step", "text-start", "text-end", "finish-step", "finish",
    ]  # fmt: skip
    assert (chunks[-1]["finishReason"], chunks[-1]["messageMetadata"]["turnId"]) == ("stop", turn_id)
    await talk.script({"text": "While you wait, let me try."})
    await reply_to(talk, "ok")
    sent = [(m["role"], m["content"]) for m in (await talk.requests())[-1]["body"]["messages"]]
    assert ("assistant", line(Act.HAND_OVER, "en")) in sent


@pytest.mark.parametrize("after", [False, True])
async def test_a_worker_that_dies_around_the_end_of_a_control_does_it_once(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    await talk.say("DELETE", kind="control")
    await kill_once(talk, monkeypatch, Ending, "commit", after=after)
    await talk.run()
    assert len(await jobs(talk)) == 1
    assert await talk.history() == [("user", "DELETE"), ("assistant", line(Act.DELETE, "en"))]


async def test_nothing_joins_past_an_order_and_each_runs_by_itself(talk: Talk) -> None:
    await talk.say("tell me a joke")
    await talk.say("STOP", kind="control")
    await talk.say("and another one")
    await talk.script({"text": "A joke."}, {"text": "Another."})
    await talk.run()
    assert await talk.history() == [
        ("user", "tell me a joke"),
        ("assistant", "A joke."),
        ("user", "STOP"),
        ("assistant", line(Act.OPT_OUT, "en")),
        ("user", "and another one"),
        ("assistant", "Another."),
    ]
