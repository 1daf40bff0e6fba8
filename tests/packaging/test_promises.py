"""What the privacy notice promises reaches the functions that must keep it (W5)."""

from tests.packaging.cloudformation import Stack


def test_whoever_writes_notes_knows_how_long_the_notice_lets_them_be_kept_w5(production: Stack) -> None:
    for name in ("WorkerFunction", "MaintenanceFunction"):
        days = production.properties(name)["Environment"]["Variables"]["LIMIT_NOTE_KEPT_DAYS"]
        assert days == production.template["Parameters"]["NotesKeptDays"]["Default"]
