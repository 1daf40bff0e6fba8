"""The bench of recall reads the sets as they are, and says so in one line when they are not there."""

import json
import random
from pathlib import Path

import pytest

from tests.devkit.bench import minilm, recall, recall_data
from tests.devkit.bench.peers import Peer
from tests.devkit.bench.recall_data import Asked, Person, Remembered
from tests.devkit.bench.recall_measures import Answering, Recall, measure, mistyped, wrong_letter
from tests.devkit.bench.recall_million import Taken, Words, met


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
            {"question": "What does Ben like?", "evidence": ["D1:1"], "category": 5},
        ],
    }
    (tmp_path / "locomo" / "talks.json").write_text(json.dumps([talk]), encoding="utf-8")
    turns, observations = recall_data.read(tmp_path)
    assert [(question.text, question.category) for question in turns.questions] == [
        ("What does Ana like?", "multi-evidence"),
        ("What does Ben like?", recall_data.ADVERSARIAL),
    ]
    assert turns.questions[0].evidence == (frozenset({"D1:1"}), frozenset())
    assert observations.notes[0].body == "Ana likes tea"


def asked(text: str, *evidence: str, category: str = "") -> Asked:
    return Asked(text, tuple(frozenset(keys.split()) for keys in evidence), category)


def person(*questions: Asked, notes: tuple[str, ...] = ("1", "2")) -> Person:
    return Person("turns", "ana", tuple(Remembered(key, "", f"note {key}") for key in notes), questions)


def test_recall_is_the_share_of_each_questions_evidence_by_category_and_all_leaves_out_the_adversarial_ones() -> None:
    people = [
        person(
            asked("both", "1", "2 3", category="multi-evidence"),
            asked("one", "1", category="single"),
            asked("none", "9", category=recall_data.ADVERSARIAL),
        )
    ]
    found = measure(people, lambda _, text: ["1", "3"] if text == "both" else ["8", "7", "6", "1"])
    assert found["turns", "multi-evidence"] == Recall(1, {1: 50.0, 3: 100.0, 10: 100.0})
    assert found["turns", "single"].at == {1: 0, 3: 0, 10: 100}
    assert found["turns", "all"] == Recall(2, {1: 25.0, 3: 50.0, 10: 100.0})
    assert found["turns", recall_data.ADVERSARIAL].at[10] == 0


def test_one_letter_of_one_longer_word_is_wrong_and_always_the_same_one() -> None:
    for text in ("Where did Melanie travel", "painting, pottery and swimming?", "mmmmm"):
        wrong = wrong_letter(text)
        changed = [pair for pair in zip(text.split(), wrong.split(), strict=True) if pair[0] != pair[1]]
        assert wrong == wrong_letter(text)
        assert len(changed) == 1
        assert abs(len(changed[0][0]) - len(changed[0][1])) <= 1
        assert changed[0][0][0] == changed[0][1][0]
    assert wrong_letter("who is it") == "who is it"
    assert mistyped(lambda _, text: [text])(person(), "travel") == [wrong_letter("travel")]


def test_targets_say_what_was_missed() -> None:
    def found(at_3: float) -> dict[tuple[str, str], Recall]:
        of = Recall(1, {1: 0, 3: at_3, 10: 0})
        return {("turns", category): of for category in ("all", "multi-evidence", "open-domain")}

    reached = list(
        recall.targets({recall.OURS: found(25), recall.EACH_ALONE: found(26)}, found(20), Answering(10, 60, 3.1))
    )
    assert [target.met for target in reached] == [True, True, False, False, False]


def test_weights_that_cannot_be_had_are_one_line_and_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(Peer, "install", lambda peer, say: bool(say(f"{peer.what}: left out")))
    assert minilm.nearest([person(asked("x", "1"))], said.append) is None
    assert said == ["MiniLM: left out"]


def test_made_up_words_differ_and_the_usual_ones_come_often() -> None:
    words = Words(random.Random(1))
    assert len(set(words.all)) == len(words.all)
    said = words.some(2_000)
    assert said.count(words.all[0]) > 5 * max(said.count(word) for word in words.all[5_000:])


def test_a_search_that_takes_too_long_once_misses_its_target() -> None:
    assert met(Taken("x", [5.0] * 999 + [79.0], [], 20))
    assert not met(Taken("x", [5.0] * 999 + [81.0], [], 20))
    assert not met(Taken("x", [5.0] * 90 + [21.0] * 10, [], 20))
