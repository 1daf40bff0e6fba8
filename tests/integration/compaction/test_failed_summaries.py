"""A summary that cannot be used changes nothing: it is counted, tried again, and the person chats on (B018)."""

from typing import Any

import pytest

from tests.integration.compaction.conftest import Night

SAID = ("my sister is called Ana and lives in Lisbon", "and my dog is called Rex", "what a day")

FAULTS: dict[str, dict[str, Any]] = {
    "rate_limited": {"error": 429},
    "unavailable": {"error": 503},
    "timeout": {"error": "timeout"},
    "cut": {"error": "cut", "text": "The person's sister is Ana, and"},
    "empty": {"text": ""},
    "length": {"text": "The person's sister", "finish_reason": "length"},
    "content_filter": {"text": "The person's sister", "finish_reason": "content_filter"},
    "refused": {"refusal": "I will not summarise that."},
    "tool_calls": {"calls": [{"name": "test_look", "args": {"query": "owls"}}]},
    "long": {"text": "The person's sister is Ana. " * 400},
}


@pytest.mark.parametrize("reason", FAULTS)
async def test_history_stays_byte_for_byte_and_the_failure_is_counted_b018(night: Night, reason: str) -> None:
    await night.chat(*SAID)
    before = await night.talk.rows("select *, message::text as bytes from thread_messages order by position")
    await night.script(FAULTS[reason])
    outcome = await night.run()
    assert (outcome.state, outcome.reason, outcome.done) == ("failed", reason, False)
    assert await night.talk.rows("select *, message::text as bytes from thread_messages order by position") == before
    assert await night.summary() is None
    assert await night.hits() == ["summary_failed"]
    # The person can chat on, and the next try is a new one.
    await night.chat("good night")
    await night.script({"text": "The person's sister is Ana, in Lisbon. Their dog is Rex."})
    assert (await night.run()).state == "published"


async def test_a_later_failure_leaves_the_summary_of_before(night: Night) -> None:
    await night.chat(*SAID)
    await night.script({"text": "The person's sister is Ana. Their dog is Rex."})
    await night.run()
    await night.chat("my flat has 63 square metres", "good night")
    first, rows = await night.summary(), await night.thread()
    await night.script({"text": "They talked about flats. " * 300}, {"text": "Nothing."})
    assert (await night.run()).state == "failed"
    assert await night.summary() == first
    assert await night.thread() == rows


async def test_a_summary_that_lost_the_one_before_and_has_no_room_beside_it_is_a_failure_b020(night: Night) -> None:
    await night.chat(*SAID)
    told = " ".join(f"Their friend Name{number} lives in Town{number}." for number in range(12))
    await night.script({"text": told})
    await night.run()
    await night.chat("my flat has 63 square metres", "good night")
    lost = {"text": "They talked about flats and many other things of no great importance. " * 5}
    await night.script(lost, lost)
    outcome = await night.run(summary_tokens=100)
    assert (outcome.state, outcome.reason) == ("failed", "lost")
    assert (await night.summary())["body"] == told


async def test_what_waits_goes_on_waiting_after_a_failure(night: Night) -> None:
    await night.chat(*SAID)
    waiting = await night.wait("and who is Ana?")
    await night.script({"error": 500})
    assert (await night.run()).freed == 0
    [row] = await night.talk.rows("select state from inbox where message_id = %s", waiting["message_id"])
    assert (row["state"], night.woken) == ("waiting", [])


async def test_a_history_larger_than_the_window_is_summarised_in_pieces(night: Night) -> None:
    await night.chat(*[f"fact {number}: " + "w" * 3_000 for number in range(4)], "good night")
    summaries = [{"text": " ".join(f"Fact {n}." for n in range(upto))} for upto in range(1, 9)]
    await night.script(*summaries)
    outcome = await night.run(summary_window_tokens=4_000, summary_tokens=300)
    assert (outcome.state, outcome.covered) == ("published", 8)
    asked = [one["body"]["messages"] for one in await night.talk.requests("summary")]
    assert len(asked) == 2
    assert [("<summary>" in str(messages)) for messages in asked] == [False, True]
    told = [message["content"] for messages in asked for message in messages if message["role"] == "user"]
    assert [text[:7] for text in told] == [f"fact {number}:" for number in range(4)]
    # The gateway's own rule: no request is larger than the window.
    assert all(one["input_tokens"] <= 4_000 for one in await night.talk.requests("summary"))


async def test_one_message_larger_than_the_window_is_read_without_its_middle_and_once(night: Night) -> None:
    await night.chat("begin " + "w" * 20_000 + " end", "what a day", "good night")
    await night.script({"text": "They pasted a long text."}, {"text": "They pasted a long text. What a day."})
    outcome = await night.run(summary_window_tokens=3_000, summary_tokens=300)
    assert outcome.state == "published"
    asked = await night.talk.requests("summary")
    assert len(asked) == 2
    shown = str(asked[0]["body"]["messages"])
    assert "begin www" in shown
    assert "www end" in shown
    assert "are left out here" in shown


async def test_the_calls_of_a_covered_turn_go_with_their_results(night: Night) -> None:
    call = {
        "calls": [{"name": "test_look", "args": {"query": "owls"}}, {"name": "test_look", "args": {"query": "bats"}}]
    }
    await night.talk.script(call, {"text": "Both fly at night."})
    await night.talk.say("owls and bats?")
    await night.talk.run()
    await night.talk.script(replace_query(call, "cats"), {"text": "They purr."})
    await night.talk.say("and cats?")
    await night.talk.run()
    await night.script({"text": "They asked for owls and bats."})
    outcome = await night.run()
    assert outcome.covered == 5
    kept = [row["message"]["type"] for row in await night.thread()]
    assert kept == ["human", "ai", "tool", "tool", "ai"]
    await night.chat("thanks")


def replace_query(call: dict[str, Any], query: str) -> dict[str, Any]:
    return {"calls": [{**one, "args": {"query": f"{query} {n}"}} for n, one in enumerate(call["calls"])]}
