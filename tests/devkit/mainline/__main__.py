"""Run the fake: ``python -m tests.devkit.mainline --port N``. It prints one line of JSON when it answers."""

import argparse
import asyncio
import contextlib
import gc
import importlib
import json
import os
import signal

from tests.devkit.mainline.chat import Demo
from tests.devkit.mainline.demo import DemoModel
from tests.devkit.mainline.demo.judging import verdicts
from tests.devkit.mainline.listener import Listener
from tests.devkit.mainline.server import Mainline

LOCAL_KEY = "local-mainline-key"
LOCAL_SEARCH_KEY = "local-search-key"


async def serve(options: argparse.Namespace) -> None:
    """Serve until a signal."""
    loop = asyncio.get_running_loop()
    listener: Listener
    ending: asyncio.TimerHandle | None = None

    def outage(seconds: float) -> None:
        nonlocal ending
        if ending is not None:
            ending.cancel()
        listener.refuse(keep="/control/")
        ending = loop.call_later(seconds, lambda: loop.create_task(listener.open()))

    key = os.environ.get("MAINLINE_AI_KEY") or LOCAL_KEY
    search_key = os.environ.get("SEARCH_API_KEY") or LOCAL_SEARCH_KEY
    mainline = Mainline(key, search_key, _model(options), outage, judge=verdicts)
    listener = Listener(mainline, options.port)
    await listener.open()
    control = Listener(mainline, options.control_port) if options.control_port is not None else listener
    await control.open()
    # What is loaded by now stays: the collector need not look at it again.
    gc.freeze()
    stopped = asyncio.Event()
    with contextlib.suppress(NotImplementedError):  # Windows has no handlers; there the interrupt ends the loop.
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stopped.set)
    url, control_url = (f"http://127.0.0.1:{part.port}" for part in (listener, control))
    print(json.dumps({"mainline_url": f"{url}/v1", "search_url": url, "control_url": control_url}), flush=True)
    await stopped.wait()
    listener.close()
    control.close()


def _model(options: argparse.Namespace) -> Demo:
    """The model that answers when nothing is scripted."""
    if not options.model:
        return DemoModel(zero_delay=options.zero_delay)
    module, _, name = options.model.partition(":")
    made: Demo = getattr(importlib.import_module(module), name)()
    return made


def main() -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(prog="python -m tests.devkit.mainline", description=__doc__)
    parser.add_argument("--port", type=int, required=True, help="0 picks a free one")
    parser.add_argument("--control-port", type=int, help="a second port that outlives a scripted outage; 0 picks one")
    parser.add_argument("--zero-delay", action="store_true", help="the demo model answers at once")
    parser.add_argument("--model", default="", help="module:class of another model than the demo's")
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
