"""The report of a calibration, as data and as a table for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from lanekeeper.decisions.questions import THRESHOLDS
from lanekeeper.mainline.questions import Answers
from tests.devkit.calibrate.labelled import PREDICATES, Sample
from tests.devkit.calibrate.measures import Counted, measure

STEPS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
UNCALIBRATED = "uncalibrated"
CALIBRATED = "calibrated"

Judged = Sequence[tuple[Sample, Answers]]


def report(judged: Judged, *, judge: str, verdict: str, unanswered: int = 0) -> dict[str, Any]:
    """What a judge's answers are worth.

    Args:
        judged: each message with its answers.
        judge: who answered.
        verdict: ``calibrated`` when the thresholds may be set by this, else ``uncalibrated``.
        unanswered: messages to which there was no answer at all.
    """
    return {
        "verdict": verdict,
        "judge": judge,
        "messages": len(judged),
        "unanswered": unanswered,
        "languages": sorted({sample.language for sample, _ in judged}),
        "questions": {name: _question(judged, name) for name in PREDICATES},
        "choices": {
            "language": _choice([(sample.language, answers) for sample, answers in judged], "language"),
            "difficulty": _choice([(sample.difficulty, answers) for sample, answers in judged], "difficulty"),
        },
    }


def written(found: Mapping[str, Any]) -> str:
    """The report as text: a line a question, its threshold in force first, then the one that does best."""
    lines = [
        f"{found['verdict']}: {found['judge']} on {found['messages']} messages in {len(found['languages'])} languages"
        + (f", {found['unanswered']} of them unanswered" if found["unanswered"] else ""),
        "",
        f"{'question':<20}{'yes':>5}  {'threshold':>9}{'precision':>11}{'recall':>8}  best at (precision, recall)",
    ]
    for name, about in found["questions"].items():
        now, best = about["in_force"], about["best"]
        lines.append(
            f"{name:<20}{about['positives']:>5}  {now['threshold']:>9.2f}{_share(now['precision']):>11}"
            f"{_share(now['recall']):>8}  "
            f"{best['threshold']:.2f} ({_share(best['precision'])}, {_share(best['recall'])})"
        )
    for name, about in found["choices"].items():
        lines.append(f"{name:<20}{about['answered']:>5}  answered, {_share(about['accuracy'])} of them right")
    return "\n".join(lines)


def _question(judged: Judged, name: str) -> dict[str, Any]:
    threshold = THRESHOLDS[name]
    curve = {step: _at(judged, name, step) for step in sorted({*STEPS, threshold})}
    best = max(curve, key=lambda step: (curve[step].f1, -abs(step - threshold)))
    return {
        "positives": sum(name in sample.labels for sample, _ in judged),
        "in_force": _told(threshold, curve[threshold]),
        "best": _told(best, curve[best]),
        "curve": [_told(step, counted) for step, counted in curve.items()],
    }


def _at(judged: Judged, name: str, threshold: float) -> Counted:
    return measure((name in sample.labels, _score(answers, name) >= threshold) for sample, answers in judged)


def _score(answers: Answers, name: str) -> float:
    answer = answers.get(name)
    return answer.value if answer and isinstance(answer.value, float) else 0.0


def _told(threshold: float, counted: Counted) -> dict[str, Any]:
    return {
        "threshold": threshold,
        "precision": counted.precision,
        "recall": counted.recall,
        "right": counted.right,
        "wrong": counted.wrong,
        "missed": counted.missed,
    }


def _choice(judged: Sequence[tuple[str, Answers]], name: str) -> dict[str, Any]:
    given = [(is_so, answers[name].value) for is_so, answers in judged if name in answers]
    right = sum(is_so == said for is_so, said in given)
    return {"answered": len(given), "right": right, "accuracy": right / len(given) if given else None}


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
