"""The five functions, with the numbers that template.yaml gives them on AWS."""

import os
from collections.abc import Mapping
from pathlib import Path

from tests.devkit.local_lambda import Spec
from tests.devkit.processes import ROOT
from tests.devkit.runtime_api import REGION

LAYERS = (ROOT / "layers" / "lanekeeper", ROOT / "layers" / "agents")
PATH = os.pathsep.join(str(folder) for folder in (*LAYERS, ROOT))
STREAM_WRAPPER = ROOT / "layers" / "lanekeeper" / "stream-wrapper"


def specs(workers: int) -> list[Spec]:
    """What each function is given. ``workers``: how many turns may run at once."""
    return [
        Spec(
            name="accept",
            timeout_s=29,
            memory_mb=1024,
            sandboxes=4,
            role="accept",
            imports=("lanekeeper.wiring.accept", "aws_lambda_powertools.logging"),
        ),
        Spec(
            name="stream",
            timeout_s=900,
            memory_mb=512,
            sandboxes=120,
            role="stream",
            imports=("lanekeeper.wiring.stream", "lanekeeper.stream_runtime.loop"),
            streams=True,
        ),
        Spec(
            name="worker",
            timeout_s=300,
            memory_mb=1769,
            sandboxes=workers,
            role="worker",
            imports=("lanekeeper.wiring.worker",),
        ),
        Spec(
            name="maintenance",
            timeout_s=300,
            memory_mb=512,
            sandboxes=2,
            role="maintenance",
            imports=("lanekeeper.wiring.maintenance",),
        ),
        Spec(
            name="migrate",
            timeout_s=300,
            memory_mb=512,
            sandboxes=1,
            role="migrator",
            imports=("lanekeeper.wiring.migrate",),
        ),
    ]


def environment(spec: Spec, task_root: Path, product: Mapping[str, str], devkit: Mapping[str, str]) -> dict[str, str]:
    """The variables of a function's processes: Lambda's own, the product's, and the dev kit's way in.

    Of this machine's variables only those pass that a process cannot do without, and LIMIT_... overrides.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in ("PATH", "HOME", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR", "LD_LIBRARY_PATH", "LOG_LEVEL")
        or name.startswith("LIMIT_")
    }
    lambdas = {
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EXECUTION_ENV": "AWS_Lambda_python3.13",
        "AWS_LAMBDA_FUNCTION_NAME": spec.name,
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(spec.memory_mb),
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{spec.name}",
        "AWS_LAMBDA_LOG_STREAM_NAME": "local",
        "LAMBDA_TASK_ROOT": str(task_root),
        "TZ": ":UTC",
        "_HANDLER": "handler.handler",
    }
    if spec.streams:
        lambdas["AWS_LAMBDA_EXEC_WRAPPER"] = str(STREAM_WRAPPER)
    own = {"PYTHONPATH": PATH, "PYTHONUNBUFFERED": "1", "DEVKIT_IMPORTS": ",".join(spec.imports), **devkit}
    return {**kept, **lambdas, **product, **own}
