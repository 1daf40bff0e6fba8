"""What alarms look at: lines of the log in CloudWatch's embedded metric format. Numbers, and nobody's name."""

import json
import sys
from dataclasses import dataclass
from typing import Literal

from lanekeeper import clock

Unit = Literal["Milliseconds", "Count", "Percent", "None"]

# Every measure carries this one dimension; deployments are told apart by their namespaces.
SERVICE = "lanekeeper"

_namespace = "lanekeeper"


@dataclass(frozen=True, slots=True)
class Measure:
    """One value of a metric. ``name`` is what an alarm asks for."""

    name: str
    value: float
    unit: Unit


def name_deployment(namespace: str) -> None:
    """Let the measures that follow count for this deployment."""
    global _namespace  # noqa: PLW0603 - one process serves one deployment
    _namespace = namespace


def publish(*measures: Measure, kind: str = "") -> None:
    """Write one line. CloudWatch reads it from the log, so nothing is waited for.

    Args:
        measures: what was measured.
        kind: a short word for those who read the log; no metric is split by it.
    """
    line = {
        "_aws": {
            "Timestamp": int(clock.now().timestamp() * 1000),
            "CloudWatchMetrics": [
                {
                    "Namespace": _namespace,
                    "Dimensions": [["service"]],
                    "Metrics": [{"Name": measure.name, "Unit": measure.unit} for measure in measures],
                }
            ],
        },
        "service": SERVICE,
        **({"kind": kind} if kind else {}),
        **{measure.name: measure.value for measure in measures},
    }
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
