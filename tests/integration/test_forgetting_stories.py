"""Forgetting on the running system: whatever road a fact could come back by, it does not (W4, B062)."""

import json
from typing import Any

from tests.devkit.system import System, someone

PAUSE_S = 3301
WORDS = "and then we talked about the harbour, the boats and the weather, " * 12
SISTER = "sister's name"
FEATURES = ("chat", "summary", "notes", "decisions")


async def say(system: System, person: str, text: str, *replies: dict[str, Any], **body: str) -> tuple[str, str]:
    """One turn; its conversation and its reply."""
    if replies:
        await system.model(*replies, sub=person)
    accepted = await system.say(person, text, **body)
    reply = await system.follow_to_the_end(person, accepted)
    assert reply.ended
    return accepted["conversationId"], reply.text


def call(name: str, **args: str) -> dict[str, Any]:
    return {"calls": [{"name": name, "args": args}]}


async def counts(system: System, person: str) -> dict[str, int]:
    return {feature: len(await system.requests(person, feature)) for feature in FEATURES}


async def sent_since(system: System, person: str, before: dict[str, int]) -> list[str]:
    """All that any model was sent for a person since then."""
    return [
        json.dumps(request["body"], ensure_ascii=False)
        for feature in FEATURES
        for request in (await system.requests(person, feature))[before[feature] :]
    ]


async def test_a_fact_that_was_summarised_and_forgotten_is_in_no_later_request_b062() -> None:
    person = someone("person")
    async with System.launched(workers=2, zero_delay=True) as system:
        remember = call("memory_remember", kind="fact", subject=SISTER, body="My sister is called Zelda")
        talk, _ = await say(
            system, person, "remember that my sister is called Zelda", remember, {"text": "Zelda, noted."}
        )
        for number in range(8):
            await say(system, person, f"{number} {WORDS}", {"text": "I see. " * 20}, conversationId=talk)
        summary = "They live by a harbour. Their sister is called Zelda. They like boats."
        await system.model({"text": summary}, sub=person, feature="summary")
        await system.advance(PAUSE_S)
        await system.tick()
        assert (await system.sql("select body from summaries where user_id = %s", [person]))[0]["body"] == summary
        await system.dev("decisions", {"sub": person, "answers": {"refers_to_earlier": 1.0}})
        before = await counts(system, person)
        forget = call("memory_forget", subject=SISTER)
        await say(system, person, "forget my sister's name", forget, {"text": "It is forgotten."}, conversationId=talk)
        # The request that asks for it still reads the talk as it was; none after it does.
        before["chat"] += 1
        for place in ({"conversationId": talk}, {}):
            await system.dev("decisions", {"sub": person, "answers": {"refers_to_earlier": 1.0}})
            await say(system, person, "what is my sister called?", {"text": "That I do not know."}, **place)
        [shortened] = await system.sql("select body, version from summaries where user_id = %s", [person])
        assert shortened == {"body": "They live by a harbour. They like boats.", "version": 2}
        await system.advance(PAUSE_S)
        await system.tick()
        await system.nightly()
        await say(system, person, "and now, what is she called?", {"text": "I do not know."}, conversationId=talk)
        told = await sent_since(system, person, before)
        assert len(told) >= 5
        assert [body for body in told if "Zelda" in body] == []
        assert "Zelda" in json.dumps(await system.transcript(person, talk))
        assert await system.sql("select body from notes where user_id = %s", [person]) == []


async def test_what_the_page_takes_out_is_gone_from_talk_and_search_w4(system: System) -> None:
    person = someone("person")
    remember = call("memory_remember", kind="fact", subject=SISTER, body="My sister is called Zelda")
    talk, _ = await say(system, person, "remember that my sister is called Zelda", remember, {"text": "Noted."})
    [note] = (await system.request(person, "GET", "/me/notes")).json()["items"]
    assert note["sourceMessage"]["text"] == "remember that my sister is called Zelda"
    assert note["sourceMessage"]["conversationId"] == talk
    before = await counts(system, person)
    assert (await system.request(person, "DELETE", f"/me/notes/{note['id']}")).status_code == 204
    for place in ({"conversationId": talk}, {}):
        await system.dev("decisions", {"sub": person, "answers": {"refers_to_earlier": 1.0}})
        await say(system, person, "what is my sister called?", {"text": "That I do not know."}, **place)
    assert [body for body in await sent_since(system, person, before) if "Zelda" in body] == []


async def test_what_was_only_mentioned_can_be_forgotten_before_anybody_notes_it(system: System) -> None:
    person = someone("person")
    talk, _ = await say(system, person, "By the way, my sister is called Zelda.", {"text": "Zelda, how nice."})
    before = await counts(system, person)
    forget = call("memory_forget", subject=SISTER)
    await say(system, person, "forget my sister's name", forget, {"text": "It is forgotten."}, conversationId=talk)
    before["chat"] += 1
    await say(system, person, "what is my sister called?", {"text": "That I do not know."}, conversationId=talk)
    await system.nightly()
    assert await system.sql("select body from notes where user_id = %s", [person]) == []
    assert [body for body in await sent_since(system, person, before) if "Zelda" in body] == []


async def test_a_wish_that_names_the_fact_leaves_it_in_no_later_request_either(system: System) -> None:
    person = someone("person")
    remember = call("memory_remember", kind="fact", subject=SISTER, body="My sister is called Zelda")
    talk, _ = await say(system, person, "remember that my sister is called Zelda", remember, {"text": "Noted."})
    before = await counts(system, person)
    forget = call("memory_forget", subject="sister Zelda")
    words = "please forget that my sister is called Zelda"
    await say(system, person, words, forget, {"text": "Zelda is forgotten."}, conversationId=talk)
    # The wish itself is judged, and sent once, since it asks for it.
    before |= {"chat": before["chat"] + 1, "decisions": before["decisions"] + 1}
    await say(system, person, "anything else?", {"text": "No."}, conversationId=talk)
    await system.nightly()
    assert [body for body in await sent_since(system, person, before) if "Zelda" in body] == []
    assert words in json.dumps(await system.transcript(person, talk))
