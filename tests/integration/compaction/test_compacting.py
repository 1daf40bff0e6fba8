"""The old part of a conversation becomes a summary, and its person notices nothing (C2, C3, N6)."""

from tests.integration.compaction.conftest import Night


async def test_the_old_part_becomes_a_summary_that_the_next_turn_is_sent_c2(night: Night) -> None:
    await night.chat("my sister is called Ana and lives in Lisbon", "and my dog is called Rex", "what a day")
    await night.script({"text": "The person's sister is Ana, in Lisbon. Their dog is Rex."})
    outcome = await night.run()
    assert (outcome.state, outcome.covered) == ("published", 4)
    assert await night.said() == ["what a day", "All right."]
    assert (await night.summary())["body"] == "The person's sister is Ana, in Lisbon. Their dog is Rex."
    await night.chat("who is Rex?")
    sent = (await night.talk.requests())[-1]["body"]["messages"]
    assert [message["role"] for message in sent[:3]] == ["system", "system", "user"]
    assert sent[1]["content"].endswith(
        "<summary>\nThe person's sister is Ana, in Lisbon. Their dog is Rex.\n</summary>"
    )
    assert [message["content"] for message in sent[2:-1]] == ["what a day", "All right.", "who is Rex?"]
    # What the person sees is not shortened.
    assert len(await night.talk.history()) == 8
