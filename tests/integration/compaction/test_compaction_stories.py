"""Compaction on the running system, through its own functions, its own clock and its own timers (C2, C3, B020)."""

from tests.devkit.system import System, someone

PAUSE_S = 3301
WORDS = "and then we talked about the harbour, the boats and the weather, " * 12


async def talk(system: System, person: str, *said: str, conversation: str | None = None) -> str:
    """Turns, one after the other; the conversation's id."""
    for text in said:
        await system.model({"text": "I see. " * 20}, sub=person)
        named = {"conversationId": conversation} if conversation else {}
        accepted = await system.say(person, text, **named)
        conversation = str(accepted["conversationId"])
        assert (await system.follow_to_the_end(person, accepted)).ended
    assert conversation is not None
    return conversation


async def pause(system: System, *summaries: str, sub: str) -> None:
    """Nearly an hour without a word."""
    await system.model(*[{"text": text} for text in summaries], sub=sub, feature="summary")
    await system.advance(PAUSE_S)
    await system.tick()
    await system.quiet()


async def test_a_quiet_conversation_is_summarised_while_its_cache_lives_and_reading_it_costs_little_c3(
    system: System,
) -> None:
    person = someone("ana")
    said = ["my sister is called Ana", *[f"{number} {WORDS}" for number in range(12)]]
    conversation = await talk(system, person, *said)
    try:
        await pause(system, "The person's sister is called Ana. They talked about the harbour.", sub=person)
        [summary] = await system.sql("select * from summaries where user_id = %s", [person])
        assert summary["conversation_id"] == conversation
        [asked] = await system.requests(person, "summary")
        before = (await system.requests(person))[-1]["input_tokens"]
        assert asked["cached_tokens"] >= 0.85 * asked["input_tokens"]
        await talk(system, person, "what is my sister called?", conversation=conversation)
        after = (await system.requests(person))[-1]
        assert after["input_tokens"] < 0.75 * before
        assert "sister is called Ana" in str(after["body"]["messages"][1])
        # Once is enough: nobody has said anything that is worth another one.
        await system.advance(600)
        await system.tick()
        assert len(await system.requests(person, "summary")) == 1
        assert len(await system.transcript(person, conversation)) == 2 * len(said) + 2
    finally:
        await system.advance(-600)
        await system.advance(-PAUSE_S)


async def test_while_its_person_talks_on_a_conversation_is_never_summarised_c3(system: System) -> None:
    person = someone("ben")
    conversation = await talk(system, person, *[f"{number} {WORDS}" for number in range(8)])
    try:
        await system.advance(3000)
        await talk(system, person, "still here", conversation=conversation)
        await system.advance(3000)
        await system.tick()
        assert await system.requests(person, "summary") == []
        assert await system.sql("select 1 from summaries where user_id = %s", [person]) == []
    finally:
        await system.advance(-6000)


async def test_what_was_said_before_two_summaries_is_still_known_b020(system: System) -> None:
    person = someone("cleo")
    first = "The person's sister is called Ana, and her flat has 63 square metres."
    conversation = await talk(system, person, "my sister Ana has a flat of 63 m2", *[f"{n} {WORDS}" for n in range(8)])
    try:
        await pause(system, first, sub=person)
        more = ["her dog is called Rex", *[f"{n} {WORDS}" for n in range(8)]]
        await talk(system, person, *more, conversation=conversation)
        # The second leaves the first out, twice.
        await pause(system, "Her dog is called Rex.", "There is a dog, Rex.", sub=person)
        await talk(system, person, "what do you know?", conversation=conversation)
        sent = str((await system.requests(person))[-1]["body"]["messages"])
        assert sent.count("<summary>") == 1
        assert "Ana" in sent
        assert "63" in sent
        assert "Rex" in sent
        assert "flat of 63 m2" not in sent
    finally:
        await system.advance(-2 * PAUSE_S)
