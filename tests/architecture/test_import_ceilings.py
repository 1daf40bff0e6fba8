"""What people wait for starts light: loading accept or stream loads no graph, no model client and no AWS SDK."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY_TRACING = ("opentelemetry.sdk", "opentelemetry.exporter", "opentelemetry.proto")
HEAVY = ("langgraph", "langchain", "langchain_core", "langchain_openai", "langsmith", "openai", "boto3")

# As on Lambda: settings that production would take.
ENVIRONMENT = {
    "LANEKEEPER_ENVIRONMENT": "production",
    "DATABASE_URL": "postgresql://lanekeeper_accept@database.example.com/lanekeeper",
    "DATABASE_CA": "/opt/rds-ca.pem",
    "OIDC_ISSUER": "https://issuer.example.com",
    "OIDC_KIND": "oidc",
    "OIDC_CLIENTS": "web",
    "MAINLINE_BASE_URL": "https://mainline.example.com/v1",
    "MAINLINE_AI_KEY_SECRET": "arn:aws:secretsmanager:eu-central-1:111122223333:secret:mainline",
    "WORKER_FUNCTION": "worker",
    "MAINTENANCE_FUNCTION": "maintenance",
    "AWS_REGION": "eu-central-1",
}
LOAD = "import json, sys, handler; assert handler.handler; print(json.dumps(sorted(sys.modules)))"


def modules(function: str) -> list[str]:
    """Everything that is loaded once a function's handler is."""
    folders = [ROOT / "functions" / function, ROOT / "layers/lanekeeper", ROOT / "layers/agents"]
    loaded = subprocess.run(
        [sys.executable, "-c", LOAD],
        cwd=folders[0],
        env={**ENVIRONMENT, "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(map(str, folders))},
        capture_output=True,
        text=True,
    )
    assert loaded.returncode == 0, loaded.stderr
    names: list[str] = json.loads(loaded.stdout)
    return names


@pytest.mark.parametrize("function", ["accept", "stream"])
def test_a_function_that_people_wait_for_loads_nothing_heavy(function: str) -> None:
    loaded = modules(function)
    assert "lanekeeper.postgres" in loaded
    assert [name for name in loaded if name.partition(".")[0] in HEAVY] == []
    assert [name for name in loaded if name.startswith(HEAVY_TRACING)] == []
    # Powertools loads the bare package; its clients and their descriptions stay out.
    assert [name for name in loaded if name.startswith("botocore.")] == []


def test_a_minute_in_which_nothing_is_due_loads_no_graph_and_no_model_client() -> None:
    loaded = modules("maintenance")
    assert "lanekeeper.maintenance.tick" in loaded
    assert [name for name in loaded if name.partition(".")[0] in {*HEAVY, "httpx", "toolsets"}] == []


def test_what_few_requests_need_is_loaded_by_the_first_of_them() -> None:
    late = ("lanekeeper.uploads", "lanekeeper.parser", "lanekeeper.accept.multipart")
    assert [name for name in modules("accept") if name.startswith(late)] == []


def test_the_stream_function_needs_no_web_framework_that_describes_itself() -> None:
    assert [name for name in modules("stream") if name.partition(".")[0] in {"fastapi", "pydantic"}] == []


def test_the_way_out_for_traces_is_loaded_only_where_they_go_out() -> None:
    """It brings protobuf, which no turn needs. OpenTelemetry's SDK would be loaded by LangSmith if it were there."""
    code = "import json, sys, lanekeeper.wiring.worker; print(json.dumps(sorted(sys.modules)))"
    folders = [ROOT / "layers/lanekeeper", ROOT / "layers/agents"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(map(str, folders))}
    loaded = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    names = json.loads(loaded.stdout)
    assert "lanekeeper.traces.tracing" in names
    assert [name for name in names if name.startswith(HEAVY_TRACING)] == []
