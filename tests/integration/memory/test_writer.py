"""The note writer reads what the person wrote and nobody has read, once, and keeps what code lets through (W3)."""

from lanekeeper.memory.writer import Written
from tests.integration.memory.conftest import Transcript, note


async def test_what_a_person_said_becomes_notes_once(talk: Transcript) -> None:
    await talk.say("m1", "Hello! My sister is called Ana")
    await talk.say("r1", "What a fine name.", role="assistant")
    await talk.say("m2", "I have two coffees a day")
    await talk.script(
        [note("My sister is called Ana", "m1", "sister name"), note("has two coffees a day", "m2", "coffee")]
    )
    assert await talk.writer.write("ana", "conv_ana") == Written(segments=1, saved=2)
    assert await talk.standing() == [("sister name", "My sister is called Ana"), ("coffee", "has two coffees a day")]
    assert await talk.position() == 3
    assert await talk.writer.write("ana", "conv_ana") == Written()
    assert len(await talk.requests()) == 1
