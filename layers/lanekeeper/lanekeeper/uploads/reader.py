"""Has a file read by the parser, in a process that gets the file and nothing else."""

import asyncio
import importlib.util
import json
import os
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from lanekeeper.limits import Limits
from lanekeeper.parser.order import Found, Order, Unreadable

# Isolated from the environment and from site packages; it finds this package and pypdf, and writes no bytecode.
_FLAGS = ("-I", "-S", "-B", "-X", "utf8")
_PROGRAM = "import sys; sys.path[:0] = {homes!r}; from lanekeeper.parser.child import main; main()"
# Where the loader finds the interpreter's own library on Lambda. Nothing else of the environment is passed on.
_LOADER = "LD_LIBRARY_PATH"
_PIECE = 256 * 1024
# Of JSON: six bytes for a character that it must spell out.
_BYTES_PER_CHAR = 6
_SLACK = 64 * 1024


class Reader:
    """Reads one file at a time.

    Args:
        limits: what a file may be, and what reading it may cost.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._most = limits.upload_bytes + _BYTES_PER_CHAR * limits.file_text_chars + _SLACK

    async def read(self, content: bytes, media_type: str) -> Found:
        """What is in a file of this type.

        Raises:
            Unreadable: nothing that may be used.
        """
        process = await asyncio.create_subprocess_exec(
            *self._command(media_type),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={_LOADER: os.environ[_LOADER]} if _LOADER in os.environ else {},
            cwd="/",
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(self._limits.parser_s):
                answer = await self._exchange(process, content)
                await process.wait()
        except TimeoutError:
            raise Unreadable("too_slow") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return _found(answer, process.returncode)

    async def _exchange(self, process: asyncio.subprocess.Process, content: bytes) -> bytes:
        """Hand the file over and take the answer, up to as much as an honest one can have."""
        assert process.stdin is not None
        assert process.stdout is not None
        # One that has died already tells why by how it ended.
        with suppress(ConnectionError):
            process.stdin.write(content)
            await process.stdin.drain()
            process.stdin.close()
        answer = bytearray()
        while piece := await process.stdout.read(_PIECE):
            answer += piece
            if len(answer) > self._most:
                raise Unreadable("too_large_inside")
        return bytes(answer)

    def _command(self, media_type: str) -> list[str]:
        limits = self._limits
        order = Order(
            media_type=media_type,
            pixels=limits.image_pixels,
            side=limits.image_side,
            pages=limits.file_pages,
            chars=limits.file_text_chars,
            inflated_bytes=limits.file_inflated_bytes,
            memory_bytes=limits.parser_memory_bytes,
            cpu_s=limits.parser_cpu_s,
        )
        program = _PROGRAM.format(homes=[_home("lanekeeper"), _home("pypdf")])
        return [sys.executable, *_FLAGS, "-c", program, json.dumps(asdict(order))]


def _home(package: str) -> str:
    """The folder that a package is imported from."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parents[1])


def _found(answer: bytes, code: int | None) -> Found:
    head, line, picture = answer.partition(b"\n")
    if not line:
        # Ended by the system: out of time, or of memory where that could not be said any more.
        raise Unreadable("too_slow" if code and code < 0 else "broken")
    told = json.loads(head)
    if reason := told.get("unreadable"):
        raise Unreadable(reason)
    return Found(**told, picture=picture or None)
