"""Log lines as JSON, one a line, without what anyone said."""

import json
import logging
import sys
import time
import traceback

from lanekeeper.types import Json


def log_to_stdout(level: str) -> None:
    """Send every logger of the process to standard output, which Lambda keeps."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)


def describe(error: BaseException) -> Json:
    """An exception in Lambda's error shape: its type and where it was raised.

    The exception's own text stays out of it, since it may quote what a person wrote.
    """
    return {
        "errorType": type(error).__name__,
        "errorMessage": "The invocation failed.",
        "stackTrace": [line.rstrip() for line in traceback.format_tb(error.__traceback__)],
    }


class JsonLines(logging.Formatter):
    """A record as a JSON object; what is passed as ``extra={"fields": {...}}`` stands beside the message."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line."""
        line: Json = {
            "level": record.levelname,
            "message": record.getMessage(),
            "logger": record.name,
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1]:
            line["error"] = describe(record.exc_info[1])
        return json.dumps(line, default=str)
