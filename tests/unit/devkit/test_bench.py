"""The bench tells what was measured, and says so when a target is missed."""

import pytest

from tests.devkit.bench import peers
from tests.devkit.bench.figures import Spread, median_of, short
from tests.devkit.bench.rivals import Timing
from tests.devkit.bench.targets import verdicts
from tests.devkit.bench.turns import lateness


def test_a_spread_lies_between_its_values() -> None:
    spread = Spread.of([0.004, 0.001, 0.002, 0.003], 1e3)
    assert (spread.count, spread.p50, spread.top, spread.mean) == (4, 2.5, 4.0, 2.5)
    assert spread.p50 < spread.p95 < spread.p99 < spread.top


def test_nothing_measured_is_an_error_and_not_a_zero() -> None:
    with pytest.raises(ValueError, match="nothing was measured"):
        Spread.of([])


@pytest.mark.parametrize(("value", "told"), [(0.0012345, 0.00123), (12.345, 12.3), (1234.5, 1234), (0, 0)])
def test_numbers_are_told_in_three_digits(value: float, told: float) -> None:
    assert short(value) == told


def test_several_runs_are_told_by_their_medians() -> None:
    runs = [{"ms": {"p50": value}, "name": "ours"} for value in (9, 1, 5)]
    assert median_of(runs) == {"ms": {"p50": 5}, "name": "ours"}


def test_a_word_is_late_by_what_it_lags_behind_the_models_pace() -> None:
    timing = Timing(0.0, 0.2, [(0.100, 1), (0.145, 2)])
    assert lateness(timing, 20) == pytest.approx([0.0, 0.025, 0.005])


def test_a_missed_target_is_told_with_its_cause() -> None:
    flood = {"wait_ms": {"p50": 5, "p95": 60, "p99": 70}, "overlaps": 0, "disorder": 0}
    wait, faults = verdicts({"claims": {"lanekeeper": {"flood": flood}}})
    assert not wait.met
    assert wait.seen == "70 ms"
    assert wait.why
    assert faults.met


def test_every_queue_has_fresh_statistics_when_its_workers_start() -> None:
    """One that had none was measured seven times too slow, and a target met by that."""
    adapters = sorted(peers.SCRIPTS.glob("queue_*.py"))
    assert len(adapters) == 3
    for adapter in adapters:
        fill = adapter.read_text(encoding="utf-8").partition("async def fill")[2].partition("async def add")[0]
        assert "analyze" in fill, adapter.name


def test_messages_taken_together_are_not_counted_as_claims() -> None:
    flood = {"wait_ms": {"p50": 5, "p95": 6, "p99": 7}, "overlaps": 0, "disorder": 0}
    queues = {"lanekeeper": (100, 9000), "procrastinate": (100, 100)}
    claims = {
        name: {"one_each": {"4": {"per_s": one}}, "ten_each": {"per_s": ten}, "flood": flood}
        for name, (one, ten) in queues.items()
    }
    judged = [one for one in verdicts({"claims": claims}) if "procrastinate" in one.target]
    assert [one.met for one in judged] == [False]
