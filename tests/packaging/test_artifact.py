"""The built packages, alone: every handler loads, and two of them answer under Lambda's own client."""

import asyncio
import json
import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.cloudformation import Stack
from tests.packaging.conftest import Built
from tests.packaging.sam import ROOT
from tests.unit.local_runtime_api import EVENT, LocalRuntimeApi

pytestmark = pytest.mark.packaging

HANDLERS = ["AcceptFunction", "StreamFunction", "WorkerFunction", "MaintenanceFunction", "MigrateFunction"]
LAYERS = ["DependenciesLayer", "LanekeeperLayer", "AgentsLayer"]
NEVER_LOADED = {"tests", "pytest", "_pytest", "hypothesis", "awslambdaric"}
LAMBDA_BYTES = 250 * 1024 * 1024

# Loads a handler as Lambda does and prints what is loaded with it: only what is on this path can be found.
LOAD = """
import importlib, json, sys
sys.path[:0] = json.loads(sys.argv[1])
assert callable(importlib.import_module("handler").handler)
print(json.dumps({name: getattr(module, "__file__", None) for name, module in sys.modules.items()}))
"""

DESCRIBE = """
import sys
sys.path.insert(0, sys.argv[1])
import botocore.session
botocore.session.get_session().create_client("secretsmanager", region_name="eu-central-1")
"""


def environment(production: Stack, function: str) -> dict[str, str]:
    """What the template sets, and what Lambda adds."""
    given = production.properties(function)["Environment"]["Variables"]
    return {
        **{name: str(value) for name, value in given.items()},
        "AWS_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "AWS_LAMBDA_FUNCTION_NAME": function,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512",
        "PATH": os.environ["PATH"],
    }


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("function", HANDLERS)
def test_b085_every_handler_loads_with_its_own_folders_and_the_template_s_settings_alone(
    built: Built, production: Stack, function: str
) -> None:
    folders = [str(folder) for folder in built.packages(function)]
    loaded = subprocess.run(
        [built.sam.python, "-I", "-S", "-c", LOAD, json.dumps(folders)],
        cwd=built.folder / function,
        env=environment(production, function),
        capture_output=True,
        text=True,
    )
    assert loaded.returncode == 0, loaded.stderr
    modules: dict[str, str | None] = json.loads(loaded.stdout)
    assert not {name.partition(".")[0] for name in modules} & {
        "tests",
        "pytest",
        "_pytest",
        "hypothesis",
        "awslambdaric",
    }
    assert not [file for file in modules.values() if file and file.startswith(f"{ROOT}/") and "/.aws-sam/" not in file]


@pytest.mark.parametrize("function", HANDLERS)
def test_each_function_fits_into_lambda(
    built: Built, production: Stack, function: str, capsys: pytest.CaptureFixture[str]
) -> None:
    layers = [str(layer) for layer in production.properties(function)["Layers"]]
    names = [next(name for name in LAYERS if layer.startswith(name)) for layer in layers]
    sizes = {name: size(built.folder / name) for name in (function, *names)}
    with capsys.disabled():
        listed = ", ".join(f"{name} {count / 1e6:.1f}" for name, count in sizes.items())
        print(f"\n{function}: {sum(sizes.values()) / 1e6:.0f} MB unpacked ({listed})")
    assert sum(sizes.values()) < LAMBDA_BYTES


@pytest.mark.parametrize("package", [*LAYERS, *HANDLERS])
def test_every_module_has_bytecode_that_is_never_checked_against_its_source(built: Built, package: str) -> None:
    modules = list((built.folder / package).rglob("*.py"))
    bytecode = [path.parent / "__pycache__" / f"{path.stem}.cpython-313.pyc" for path in modules]
    assert [str(path) for path in bytecode if not path.exists()] == []
    # Flags of the file's head: by hash, and the hash is not looked at.
    assert {path.read_bytes()[4:8] for path in bytecode} <= {(1).to_bytes(4, "little")}


def test_the_layers_hold_the_engine_s_sql_and_prompts_and_no_tests(built: Built) -> None:
    for layer, source in (
        ("Lanekeeper", "lanekeeper/lanekeeper"),
        ("Agents", "agents/agents"),
        ("Agents", "agents/toolsets"),
    ):
        home = ROOT / "layers" / source
        packed = built.folder / f"{layer}Layer" / "python" / home.name
        wanted = {
            path.relative_to(home) for path in home.rglob("*") if path.is_file() and "__pycache__" not in path.parts
        }
        assert wanted <= {path.relative_to(packed) for path in packed.rglob("*")}
    for package in (*LAYERS, *HANDLERS):
        names = {part for path in (built.folder / package).rglob("*") for part in path.parts[len(built.folder.parts) :]}
        assert not names & {"tests", "conftest.py", "devkit", "pytest", "hypothesis", "boto3", "node_modules"}


def test_migrate_holds_the_migrations_and_accept_the_page(built: Built) -> None:
    migrations = {path.name: path.read_bytes() for path in (ROOT / "migrations").glob("[0-9]*.sql")}
    packed = {path.name: path.read_bytes() for path in (built.folder / "MigrateFunction/migrations").iterdir()}
    assert packed == migrations
    page = built.folder / "AcceptFunction/page"
    assert (page / "index.html").is_file()
    assert any((page / "assets").iterdir())


def test_the_aws_services_that_are_asked_are_still_described(built: Built, production: Stack) -> None:
    """All but a few of botocore's descriptions are left out of the layer."""
    asked = subprocess.run(
        [built.sam.python, "-I", "-S", "-c", DESCRIBE, built.dependencies_here / "python"],
        env=environment(production, "WorkerFunction"),
        capture_output=True,
        text=True,
    )
    assert asked.returncode == 0, asked.stderr


class Running:
    """A built function in a process of its own, with a Runtime API to answer to."""

    def __init__(self, built: Built, production: Stack, function: str, client: Path) -> None:
        self.api = LocalRuntimeApi()
        self.command = [str(built.sam.python), "-S", "-m", "awslambdaric", "handler.handler"]
        folders = built.packages(function)
        self.environment = {
            **environment(production, function),
            "PAGE_DIR": str(folders[0] / "page"),
            "PYTHONPATH": os.pathsep.join(map(str, (*folders, client))),
            "LAMBDA_TASK_ROOT": str(folders[0]),
            "_HANDLER": "handler.handler",
        }
        self.task_root = folders[0]

    async def __aenter__(self) -> "Running":
        await self.api.__aenter__()
        self.process = await asyncio.create_subprocess_exec(
            *self.command,
            cwd=self.task_root,
            env={**self.environment, "AWS_LAMBDA_RUNTIME_API": self.api.address},
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        with suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()
        await self.api.__aexit__()

    async def ask(self, method: str, path: str, body: str | None = None) -> Any:
        request_id = f"request-{time.monotonic_ns()}"
        headers = {"Host": "api.example", "Content-Type": "application/json", "X-Forwarded-Proto": "https"}
        multi = {name: [value] for name, value in headers.items()}
        event = {
            **EVENT,
            "httpMethod": method,
            "path": path,
            "body": body,
            "headers": headers,
            "multiValueHeaders": multi,
        }
        reply = self.api.invoke(request_id, {**event, "resource": "/{proxy+}"})
        await asyncio.wait_for(reply.ended.wait(), 30)
        return reply


async def test_the_built_accept_function_answers_under_lambda_s_client(
    built: Built, production: Stack, tmp_path: Path
) -> None:
    async with Running(built, production, "AcceptFunction", built.sam.runtime_client(tmp_path)) as accept:
        answers = {
            path: json.loads((await accept.ask(method, path, body)).pieces[0])
            for method, path, body in (
                ("GET", "/health", None),
                ("GET", "/", None),
                ("GET", "/no/such/thing", None),
                ("POST", "/chat", '{"text": "hello"}'),
            )
        }
    assert {path: answer["statusCode"] for path, answer in answers.items()} == {
        "/health": 200,
        "/": 200,
        "/no/such/thing": 404,
        "/chat": 401,
    }
    assert "<html" in answers["/"]["body"]
    assert set(json.loads(answers["/chat"]["body"])["error"]) == {"code", "message", "retryable", "nextStep"}


async def test_the_built_stream_function_answers_under_its_wrapper(
    built: Built, production: Stack, tmp_path: Path
) -> None:
    running = Running(built, production, "StreamFunction", tmp_path)
    wrapper = built.folder / "LanekeeperLayer" / "stream-wrapper"
    running.command = [str(wrapper), str(built.sam.python), "-S", "/var/runtime/bootstrap.py"]
    async with running as stream:
        reply = await stream.ask("GET", "/chat/conv_1/stream")
    assert reply.headers["lambda-runtime-function-response-mode"] == "streaming"
    assert reply.start["statusCode"] == 401
    assert set(json.loads(reply.body)["error"]) == {"code", "message", "retryable", "nextStep"}
