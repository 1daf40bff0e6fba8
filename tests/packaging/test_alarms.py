"""What rings: each alarm looks at something that a function really measures."""

import dataclasses
import json
from typing import Any

import pytest

from lanekeeper.ledger.store import LIMIT_HITS
from lanekeeper.limits import Limits
from lanekeeper.maintenance.coverage import measures as settled_measures
from lanekeeper.maintenance.due_timers import tell_failed
from lanekeeper.maintenance.nightly import run_measures
from lanekeeper.maintenance.spend import Spent
from lanekeeper.maintenance.tick import Found
from lanekeeper.metrics import SERVICE, publish
from lanekeeper.turn.measures import turn_measures
from tests.packaging.cloudformation import Stack

pytestmark = pytest.mark.packaging

ENVIRONMENTS = ("dev", "staging", "production")


def test_the_alarm_on_waiting_people_reads_what_the_tick_logs(production: Stack) -> None:
    (transformation,) = production.properties("WaitingLanes")["MetricTransformations"]
    assert production.properties("WaitingLanes")["LogGroupName"] == "MaintenanceLog"
    assert transformation["MetricValue"].removeprefix("$.") in {field.name for field in dataclasses.fields(Found)}
    alarm = production.properties("StuckLanes")
    assert (alarm["Namespace"], alarm["MetricName"]) == ("lanekeeper", transformation["MetricName"])


def alarm(stack: Stack, name: str) -> dict[str, Any]:
    """An alarm on a measure of ours, after a look at what all of these have in common."""
    properties = stack.properties(name)
    assert (properties["Namespace"], properties["Dimensions"]) == (
        "lanekeeper",
        [{"Name": "service", "Value": SERVICE}],
    )
    assert properties["ComparisonOperator"] == "GreaterThanThreshold"
    assert properties["TreatMissingData"] == "notBreaching"
    return properties


def measured(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """The measures that were written, each with its unit."""
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return {
        metric["Name"]: metric["Unit"] for line in lines for metric in line["_aws"]["CloudWatchMetrics"][0]["Metrics"]
    }


def test_the_functions_that_measure_do_so_in_the_namespace_that_the_alarms_look_at(production: Stack) -> None:
    for function in ("WorkerFunction", "MaintenanceFunction"):
        assert production.properties(function)["Environment"]["Variables"]["METRICS_NAMESPACE"] == "lanekeeper"


def test_t3_an_alarm_rings_when_one_in_twenty_waits_too_long_for_the_first_words(
    production: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    properties = alarm(production, "SlowFirstReplies")
    assert properties["ExtendedStatistic"] == "p95"
    assert properties["Threshold"] == 1000 * Limits().first_reply_s
    publish(*turn_measures("done", 12.0))
    assert measured(capsys)[properties["MetricName"]] == properties["Unit"]


def test_work_in_the_background_that_keeps_failing_rings(production: Stack, capsys: pytest.CaptureFixture[str]) -> None:
    properties = alarm(production, "FailedTimers")
    assert (properties["Statistic"], properties["Threshold"], properties["EvaluationPeriods"]) == ("Sum", 0, 3)
    tell_failed(1)
    assert properties["MetricName"] in measured(capsys)


@pytest.mark.parametrize("name", ["SkippedAtNight", "FailedAtNight"])
def test_w3_somebody_whom_a_night_did_not_cover_rings(
    production: Stack, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    properties = alarm(production, name)
    assert (properties["Statistic"], properties["Threshold"], properties["EvaluationPeriods"]) == ("Sum", 0, 1)
    publish(*settled_measures({"covered": 1}))
    assert properties["MetricName"] in measured(capsys)


def test_b052_a_nightly_pass_that_has_not_run_for_26_hours_rings_by_its_silence(
    production: Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    properties = production.properties("NoNightlyPass")
    assert (properties["Period"], properties["EvaluationPeriods"]) == (3600, 26)
    assert (properties["Statistic"], properties["ComparisonOperator"], properties["Threshold"]) == (
        "Sum",
        "LessThanThreshold",
        1,
    )
    assert properties["TreatMissingData"] == "breaching"
    assert properties["Dimensions"] == [{"Name": "service", "Value": SERVICE}]
    publish(*run_measures(None))
    assert properties["MetricName"] in measured(capsys)


def test_failed_turns_ring_by_their_share(production: Stack, capsys: pytest.CaptureFixture[str]) -> None:
    properties = alarm(production, "FailedTurns")
    assert (properties["Statistic"], properties["Threshold"]) == ("Average", 0.05)
    publish(*turn_measures("done", None))
    assert properties["MetricName"] in measured(capsys)


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_e6_limits_that_are_met_ring(translated: dict[str, Any], environment: str) -> None:
    properties = alarm(Stack(translated, Environment=environment), "LimitsHit")
    assert (properties["MetricName"], properties["Statistic"]) == (LIMIT_HITS, "Sum")
    assert 0 <= properties["Threshold"] <= 10


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_k2_a_day_that_costs_too_much_rings_in_each_environment(
    translated: dict[str, Any], environment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    stack = Stack(translated, Environment=environment)
    properties = alarm(stack, "DailySpend")
    assert (properties["Statistic"], properties["Threshold"]) == ("Maximum", 100)
    publish(*Spent(micros=1, limit_micros=2, people_over=0).measures())
    assert measured(capsys)[properties["MetricName"]] == "Percent"
    limit = stack.properties("MaintenanceFunction")["Environment"]["Variables"]
    assert Limits.from_environment(limit).daily_spend_micros > 0


def test_every_alarm_tells_whoever_the_deployer_names(production: Stack, translated: dict[str, Any]) -> None:
    told = Stack(translated, AlarmAction="arn:aws:any:thing")
    for name in production.of_type("AWS::CloudWatch::Alarm"):
        assert production.properties(name)["AlarmActions"] == []
        assert told.properties(name)["AlarmActions"] == ["arn:aws:any:thing"]
