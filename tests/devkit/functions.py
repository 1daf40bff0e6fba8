"""The five functions, with the time and memory that template.yaml gives them."""

import os
from collections.abc import Mapping
from pathlib import Path

from tests.devkit import template
from tests.devkit.local_lambda import Spec
from tests.devkit.processes import ROOT
from tests.devkit.runtime_api import REGION

LAYERS = (ROOT / "layers" / "lanekeeper", ROOT / "layers" / "agents")
PATH = os.pathsep.join(str(folder) for folder in (*LAYERS, ROOT))
STREAM_WRAPPER = ROOT / "layers" / "lanekeeper" / "stream-wrapper"


# What a function's handler imports anyway, so that its sandboxes can be forks.
_IMPORTS = {
    "accept": ("lanekeeper.wiring.accept", "aws_lambda_powertools.logging", "botocore.auth"),
    "stream": ("lanekeeper.wiring.stream", "lanekeeper.stream_runtime.loop"),
    "worker": ("lanekeeper.wiring.worker",),
    "maintenance": ("lanekeeper.wiring.maintenance",),
    "migrate": ("lanekeeper.wiring.migrate",),
}
_SANDBOXES = {"accept": 4, "stream": 120, "maintenance": 2, "migrate": 1}
_ROLES = {"migrate": "migrator"}


def specs(workers: int) -> list[Spec]:
    """The functions as the template describes them. ``workers``: how many turns may run at once here."""
    return [
        Spec(
            name=name,
            timeout_s=template.function(name)["Timeout"],
            memory_mb=template.function(name)["MemorySize"],
            sandboxes=workers if name == "worker" else _SANDBOXES[name],
            role=_ROLES.get(name, name),
            imports=imports,
            streams=name == "stream",
        )
        for name, imports in _IMPORTS.items()
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
        "AWS_LAMBDA_LOG_FORMAT": "JSON",
        "AWS_LAMBDA_LOG_LEVEL": "INFO",
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{spec.name}",
        "AWS_LAMBDA_LOG_STREAM_NAME": "local",
        "LAMBDA_TASK_ROOT": str(task_root),
        "POWERTOOLS_SERVICE_NAME": "lanekeeper",
        "TZ": ":UTC",
        "_HANDLER": "handler.handler",
    }
    if spec.streams:
        lambdas["AWS_LAMBDA_EXEC_WRAPPER"] = str(STREAM_WRAPPER)
    own = {"PYTHONPATH": PATH, "PYTHONUNBUFFERED": "1", "DEVKIT_IMPORTS": ",".join(spec.imports), **devkit}
    return {**kept, **lambdas, **product, **own}
