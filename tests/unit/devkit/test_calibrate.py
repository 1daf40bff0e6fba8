"""The calibration report: its numbers, its form, and that it claims nothing without a real gateway (D1)."""

import asyncio
import json
from pathlib import Path

import pytest

from lanekeeper.decisions.questions import THRESHOLDS
from lanekeeper.mainline.questions import Answer
from tests.devkit.calibrate.__main__ import main
from tests.devkit.calibrate.labelled import PLACE, PREDICATES, Sample, labelled
from tests.devkit.calibrate.measures import Counted, measure
from tests.devkit.calibrate.report import report, written
from tests.devkit.mainline.demo import DemoModel
from tests.devkit.mainline.listener import Listener
from tests.devkit.mainline.server import Mainline as FakeMainline


def test_the_labelled_set_is_wide_enough_to_tell_something():
    samples = labelled()
    assert len(samples) >= 400
    assert len({sample.text for sample in samples}) == len(samples)
    assert len({sample.language for sample in samples}) >= 8
    for name in PREDICATES:
        assert sum(name in sample.labels for sample in samples) >= 2, name
    unmarked = sum(not sample.labels for sample in samples)
    assert unmarked >= len(samples) / 3, "without near misses precision means little"


def test_who_labelled_the_set_stands_at_its_head():
    head = PLACE.read_text(encoding="utf-8")[:800]
    assert "Written by the Lanekeeper developers on 20" in head
    assert "together with its\n# labels" in head
    assert "Nobody has labelled them a second time" in head


@pytest.mark.parametrize("line", ["en\trisk", "en\tnothing_like_it\thello", "xx\t-\thello", "en\t-\ta\tb"])
def test_a_line_that_cannot_be_read_is_refused(line: str, tmp_path: Path):
    place = tmp_path / "set.tsv"
    place.write_text(f"# head\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 2"):
        labelled(place)


def test_precision_and_recall_are_what_they_are():
    counted = measure([(True, True), (True, True), (False, True), (True, False), (False, False)])
    assert counted == Counted(right=2, wrong=1, missed=1)
    assert (counted.precision, counted.recall, counted.f1) == (2 / 3, 2 / 3, 4 / 6)
    assert (Counted().precision, Counted().recall, Counted().f1) == (None, None, 0.0)


def test_a_threshold_in_force_and_the_best_one_are_told_apart():
    yes, no = Sample("en", frozenset({"risk"}), "a"), Sample("en", frozenset(), "b")
    scores = [(yes, 0.95), (yes, 0.65), (no, 0.55), (no, 0.1)]
    found = report(
        [(sample, {"risk": Answer(score), "language": Answer("en")}) for sample, score in scores],
        judge="a judge",
        verdict="calibrated",
    )
    risk = found["questions"]["risk"]
    assert risk["positives"] == 2
    assert risk["in_force"] == {
        "threshold": THRESHOLDS["risk"], "precision": 1.0, "recall": 0.5, "right": 1, "wrong": 0, "missed": 1,
    }  # fmt: skip
    assert risk["best"]["threshold"] == 0.6
    assert (risk["best"]["precision"], risk["best"]["recall"]) == (1.0, 1.0)
    assert found["choices"]["language"] == {"answered": 4, "right": 4, "accuracy": 1.0}
    text = written(found)
    assert text.startswith("calibrated: a judge on 4 messages in 1 languages")
    assert all(name in text for name in PREDICATES)


def test_without_a_gateway_the_word_lists_are_measured_and_nothing_is_claimed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    place = tmp_path / "report.json"
    assert main(["--json", str(place)], {}) == 0
    told = capsys.readouterr().out
    assert told.startswith("uncalibrated: word lists on")
    assert "The thresholds are uncalibrated" in told
    (found,) = json.loads(place.read_text(encoding="utf-8"))
    assert set(found["questions"]) == set(PREDICATES)
    thresholds = [point["threshold"] for point in found["questions"]["risk"]["curve"]]
    assert thresholds == sorted(thresholds)
    assert THRESHOLDS["risk"] in thresholds


async def test_a_scripted_gateway_is_asked_and_proves_nothing(capsys: pytest.CaptureFixture[str]):
    listener = Listener(FakeMainline("key", "key", DemoModel(zero_delay=True), lambda seconds: None), 0)
    await listener.open()
    url = f"http://127.0.0.1:{listener.port}/v1"
    try:
        await asyncio.to_thread(main, ["--limit", "5"], {"MAINLINE_BASE_URL": url, "MAINLINE_AI_KEY": "key"})
    finally:
        listener.close()
    told = capsys.readouterr()
    assert f"uncalibrated: {url} (gateway) on 5 messages" in told.out
    assert "The thresholds are uncalibrated" in told.out
    assert told.err.startswith("5 calls, ")
