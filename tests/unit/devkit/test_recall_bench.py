"""The bench of recall reads the sets as they are, and says so in one line when they are not there."""

import json
from pathlib import Path

import pytest

from tests.devkit.bench import recall, recall_data


def test_an_absent_folder_is_one_line_and_a_skip(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(recall.VARIABLE, raising=False)
    for arguments in ([], ["--data", str(tmp_path)]):
        assert recall.main(arguments) == 0
        assert capsys.readouterr().err.count("\n") == 1


def test_evidence_counts_when_any_note_that_holds_it_is_found(tmp_path: Path) -> None:
    (tmp_path / "locomo").mkdir()
    talk = {
        "sample_id": "one",
        "conversation": {"session_1": [{"dia_id": "D1:1", "speaker": "Ana", "text": "I like tea"}]},
        "observation": {"session_1_observation": {"Ana": [["Ana likes tea", "D1:1"]]}},
        "qa": [
            {"question": "What does Ana like?", "evidence": ["D1:1", "D1:9"], "category": 1},
            {"question": "Who is not there?", "evidence": ["D1:1"], "category": recall_data.UNANSWERABLE},
        ],
    }
    (tmp_path / "locomo" / "talks.json").write_text(json.dumps([talk]), encoding="utf-8")
    turns, observations = recall_data.read(tmp_path)
    assert [question.text for question in turns.questions] == ["What does Ana like?"]
    assert turns.questions[0].evidence == (frozenset({"D1:1"}), frozenset())
    assert observations.notes[0].body == "Ana likes tea"
