"""``python -m tests.devkit``: run the whole system until Ctrl-C. ``python3 run.py`` calls it."""

import argparse
import asyncio
import contextlib
import json
import logging
import signal
import sys
from pathlib import Path

from tests.devkit.local import Local, Options, StartError
from tests.devkit.postgres_binaries import PostgresError


def options(arguments: list[str]) -> Options:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="run.py", description="Run the whole system on this machine.")
    parser.add_argument("--port", type=int, default=8000, help="of the web chat and the API; 0 picks a free one")
    parser.add_argument("--data", type=Path, help="keep the database and the keys in this directory")
    parser.add_argument("--workers", type=int, default=8, help="turns that may run at once")
    parser.add_argument("--stage", default="", help="serve the API under this first path segment, as a deployed stage")
    parser.add_argument("--zero-delay", action="store_true", help="the demo model answers at once")
    parser.add_argument("--model", default="", help="module:class of another model than the demo's")
    parser.add_argument("--fresh", action="store_true", help="start sandboxes as Lambda does, without forks")
    parser.add_argument("--direct-database", action="store_true", help="no proxy before Postgres, so no outages")
    parser.add_argument("--no-freeze", action="store_true", help="let idle sandboxes run on")
    parser.add_argument("--durable", action="store_true", help="wait for the disk on a thrown-away database too")
    parser.add_argument("--verbose", action="store_true", help="say on standard error what the local Lambda does")
    given = parser.parse_args(arguments)
    if given.stage == "dev":
        parser.error("/dev belongs to the dev kit: choose another stage")
    logging.basicConfig(level="INFO" if given.verbose else "WARNING", format="%(name)s: %(message)s")
    return Options(
        port=given.port,
        data=given.data,
        workers=given.workers,
        stage=given.stage,
        fresh=given.fresh,
        direct_database=given.direct_database,
        freezes=not given.no_freeze,
        durable=True if given.durable else None,
        zero_delay=given.zero_delay,
        model=given.model,
    )


async def serve(chosen: Options) -> None:
    """Run until Ctrl-C or SIGTERM; print one line of JSON when ready."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError):  # Windows has no handlers; there the interrupt ends the loop.
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stopped.set)
    local = Local(chosen)
    await local.start()
    ready = {"url": local.url, "database_url": local.database_url, "mainline_url": local.mainline_url}
    print(json.dumps(ready), flush=True)
    kept = f"kept in {chosen.data}" if chosen.data else "thrown away at the end; --data DIR keeps it"
    print(f"Open {local.url} and write to it. Ctrl-C ends it.", file=sys.stderr)
    print(f"Data: {kept}. Logs: {local.logs}", file=sys.stderr, flush=True)
    await stopped.wait()
    await local.stop()


def main() -> None:
    """Run, and say in one line why it could not."""
    try:
        asyncio.run(serve(options(sys.argv[1:])))
    except (StartError, PostgresError, OSError) as error:
        sys.exit(f"{error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
