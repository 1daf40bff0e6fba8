"""The nightly pass covers everyone on their own local day, by the batch API, and says whom it covered (W3, B052)."""

from tests.integration.nightly.conftest import Town, note


async def test_a_night_writes_notes_of_everyone_through_one_batch(town: Town) -> None:
    for name in ("ana", "ben", "cleo"):
        source = await town.says(name, f"I drink {name} coffee every morning")
        await town.answers(name, [note(f"drinks {name} coffee", source)])
    night = await town.new_nightly().run()
    assert (night.due, night.covered, night.skipped, night.failed, night.unfinished) == (3, 3, 0, 0, False)
    for name in ("ana", "ben", "cleo"):
        assert await town.notes(name) == [f"drinks {name} coffee"]
    [batch] = await town.gateway_batches()
    assert batch["request_counts"] == {"total": 3, "completed": 3, "failed": 0}
    assert await town.nights() == {"2030-05-01": (3, 0, 0)}
