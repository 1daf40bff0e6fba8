"""The parser's process: no way out, nothing of its parent's, bounded memory and time (D4)."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[3] / "layers" / "lanekeeper"
MEMORY = 256 * 1024 * 1024


def confined(probe: str, *, memory: int = MEMORY, cpu_s: int = 5) -> subprocess.CompletedProcess[str]:
    """Run a line of Python in a confined process."""
    program = f"""
import sys
sys.path[:0] = [{str(HOME)!r}]
import os, socket, subprocess, zlib
from lanekeeper.parser.confine import confine
confine({memory}, {cpu_s})
try:
    {probe}
except (PermissionError, MemoryError, OSError) as error:
    print(type(error).__name__)
else:
    print("done")
"""
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, "MAINLINE_AI_KEY": "secret"},
        timeout=60,
    )


@pytest.mark.parametrize(
    "probe",
    [
        "socket.socket()",
        "socket.create_connection(('127.0.0.1', 9001))",
        "socket.getaddrinfo('example.org', 443)",
        "subprocess.run(['true'])",
        "os.system('true')",
        "os.fork()",
        "os.execv('/bin/true', ['true'])",
        "os.kill(os.getppid(), 0)",
        "open('/etc/passwd')",
        "open('/proc/self/environ')",
        "os.open('/etc/passwd', os.O_RDONLY)",
        "open('/tmp/left-behind', 'w')",
        "os.open(os.path.join(sys.path[0], 'left-behind'), os.O_CREAT | os.O_WRONLY)",
        "os.remove('/tmp/nothing')",
        "import ctypes; ctypes.CDLL(None)",
    ],
)
def test_the_parser_has_no_way_out(probe: str) -> None:
    assert confined(probe).stdout == "PermissionError\n"


def test_the_parser_knows_nothing_of_its_parent() -> None:
    assert confined("print(dict(os.environ))").stdout == "{}\ndone\n"


def test_the_parser_may_still_load_what_it_needs() -> None:
    assert confined("import encodings.cp1252, html.parser").stdout == "done\n"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not keep to RLIMIT_AS; Lambda is Linux")
def test_b077_memory_ends_where_the_limit_is() -> None:
    assert confined("bytearray(16 * 1024 * 1024)").stdout == "done\n"
    assert confined(f"bytearray({MEMORY})").stdout == "MemoryError\n"


def test_b077_time_ends_where_the_limit_is() -> None:
    done = confined("exec('while True: pass')", cpu_s=1)
    assert (done.stdout, -done.returncode) in {("", signal.SIGXCPU), ("", signal.SIGKILL)}


@pytest.mark.skipif(sys.platform != "linux", reason="network namespaces exist on Linux alone; Lambda is Linux")
def test_where_the_system_lets_go_of_the_network_there_is_none() -> None:
    probe = subprocess.run(
        [sys.executable, "-c", "import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare(0x50000000) != 0)"], timeout=60
    )
    if probe.returncode:
        pytest.skip(
            "this machine lets no process leave its network: here the tests above hold what keeps the parser in"
        )
    shown = confined("sys.stdout.write(os.readlink('/proc/self/ns/net') + ' ')").stdout
    assert shown.split()[0] != os.readlink("/proc/self/ns/net")  # noqa: PTH115
