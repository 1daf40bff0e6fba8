"""Controls through the whole running system: from the page's message to the row, the line and the stream (D5, D6)."""

from lanekeeper.decisions import Act
from lanekeeper.decisions.lines import line
from tests.devkit.system import System, someone


async def test_delete_alone_is_an_order_from_the_request_to_the_job(system: System) -> None:
    ana = someone("ana")
    reply = await system.follow_to_the_end(ana, await system.say(ana, "DELETE"))
    assert reply.text == line(Act.DELETE, "en")
    kinds = await system.sql("select kind, state from inbox where user_id = %s", [ana])
    assert kinds == [{"kind": "control", "state": "done"}]
    assert len(await system.sql("select * from deletion_jobs where user_id = %s", [ana])) == 1
    assert await system.requests(ana) == await system.requests(ana, "decisions") == []


async def test_loose_wording_is_asked_about_and_a_yes_in_the_same_conversation_does_it(system: System) -> None:
    ana = someone("ana")
    await system.dev("decisions", {"sub": ana, "answers": {"opt_out": 0.97, "language": "de"}})
    accepted = await system.say(ana, "Schreib mir bitte nicht mehr")
    asked = await system.follow_to_the_end(ana, accepted)
    assert asked.text == line(Act.ASK_OPT_OUT, "de")
    answer = await system.say(ana, "ja", conversationId=accepted["conversationId"])
    done = await system.follow_to_the_end(ana, answer)
    assert done.text == line(Act.OPT_OUT, "de")
    consents = await system.sql("select topic, given from consents where user_id = %s", [ana])
    assert consents == [{"topic": "proactive", "given": False}]
    transcript = await system.transcript(ana, accepted["conversationId"])
    assert [message["role"] for message in transcript] == ["user", "assistant"] * 2


async def test_a_worker_killed_at_the_commit_of_a_control_opens_one_item_and_says_its_line_once(
    system: System,
) -> None:
    ana = someone("ana")
    await system.kill("worker", "after_commit")
    await system.dev("decisions", {"sub": ana, "answers": {"complaint": 0.97}})
    accepted = await system.say(ana, "Your service is a disgrace.")
    reply = await system.follow_to_the_end(ana, accepted)
    assert reply.text == line(Act.COMPLAINT, "en")
    items = await system.sql("select kind, state from staff_items where user_id = %s", [ana])
    assert items == [{"kind": "complaint", "state": "open"}]
    transcript = await system.transcript(ana, accepted["conversationId"])
    assert [message["role"] for message in transcript] == ["user", "assistant"]


async def test_a_classifier_that_hangs_delays_nobody_beyond_its_wait(system: System) -> None:
    ana = someone("ana")
    await system.dev("decisions", {"sub": ana, "answers": {"risk": 1.0}, "delay_s": 60})
    await system.model({"text": "Good morning."}, sub=ana)
    reply = await system.follow_to_the_end(ana, await system.say(ana, "hello"))
    assert reply.text == "Good morning."
    (kept,) = await system.sql("select source, took_ms from verdicts where user_id = %s", [ana])
    assert kept["source"] == "words"
