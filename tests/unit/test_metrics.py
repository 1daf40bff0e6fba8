"""Lines that CloudWatch reads measures from: in its embedded metric format, and about nobody (T3, K2, E6)."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from lanekeeper import metrics
from lanekeeper.metrics import Measure, publish

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lanekeeper.clock.now", lambda: NOON)
    monkeypatch.setattr(metrics, "_namespace", "lanekeeper")


def written(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_line_is_a_metric_of_its_deployment_by_the_embedded_format(capsys: pytest.CaptureFixture[str]) -> None:
    metrics.name_deployment("lanekeeper-production")
    publish(Measure("FirstReply", 812.5, "Milliseconds"), Measure("Turns", 1, "Count"))
    assert written(capsys) == [
        {
            "_aws": {
                "Timestamp": int(NOON.timestamp() * 1000),
                "CloudWatchMetrics": [
                    {
                        "Namespace": "lanekeeper-production",
                        "Dimensions": [["service"]],
                        "Metrics": [
                            {"Name": "FirstReply", "Unit": "Milliseconds"},
                            {"Name": "Turns", "Unit": "Count"},
                        ],
                    }
                ],
            },
            "service": "lanekeeper",
            "FirstReply": 812.5,
            "Turns": 1,
        }
    ]


def test_every_name_of_a_line_has_its_value_at_the_top(capsys: pytest.CaptureFixture[str]) -> None:
    publish(Measure("LimitHits", 1, "Count"), kind="length")
    [line] = written(capsys)
    [directive] = line["_aws"]["CloudWatchMetrics"]
    for name in [*directive["Dimensions"][0], *(metric["Name"] for metric in directive["Metrics"])]:
        assert name in line
    assert line["kind"] == "length"
