"""``python -m lanekeeper.stream_runtime``: serve the handler that Lambda named until the sandbox ends."""

import asyncio
import os

from lanekeeper.stream_runtime.logs import log_to_stdout
from lanekeeper.stream_runtime.loop import serve

log_to_stdout(os.environ.get("LOG_LEVEL", "INFO"))
asyncio.run(serve(os.environ))
