"""Migrate as a CloudFormation custom resource: whatever happens, CloudFormation hears of it."""

import json
import logging
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable

from lanekeeper.migrate.runner import DatabaseAheadError
from lanekeeper.types import Json

# One for all releases: with another id CloudFormation would delete the old one after each update.
PHYSICAL_ID = "lanekeeper-migrations"

# CloudFormation takes an answer of 4,096 bytes.
_REASON_CHARS = 500

# Seconds between tries to deliver the answer. Without one the stack would wait for its own limit.
PAUSES_S = (1.0, 2.0, 4.0, 8.0)

logger = logging.getLogger(__name__)


def is_request(event: Json) -> bool:
    """Whether CloudFormation sent the event, and not a person."""
    return "RequestType" in event and "ResponseURL" in event


def handle(event: Json, migrate: Callable[[], list[str]], pauses_s: Iterable[float] = PAUSES_S) -> Json:
    """Do what CloudFormation asks, and PUT the outcome to the address it gave.

    Create and Update migrate. Delete touches no data: it belongs to people, not to the stack. A database that is
    ahead of this release is a warning only, since a refusal would block the rollback of a failed deploy.

    Returns:
        What was answered.
    """
    answer: Json = {
        "Status": "FAILED",
        "Reason": "The function ended before the migrations did.",
        "PhysicalResourceId": PHYSICAL_ID,
        **{name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")},
    }
    try:
        applied = [] if event["RequestType"] == "Delete" else migrate()
        answer |= {"Status": "SUCCESS", "Reason": "", "Data": {"Applied": len(applied)}}
    except DatabaseAheadError as ahead:
        logger.warning("the database is ahead of this release and stays as it is: %s", ahead)
        answer |= {"Status": "SUCCESS", "Reason": str(ahead)[:_REASON_CHARS]}
    except Exception as error:
        logger.exception("the migrations failed")
        answer["Reason"] = _reason(error)
    finally:
        _put(event["ResponseURL"], json.dumps(answer).encode(), pauses_s)
    return answer


def _reason(error: Exception) -> str:
    # The first line only: what Postgres adds below it may quote a row.
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0]}"[:_REASON_CHARS]


def _put(address: str, body: bytes, pauses_s: Iterable[float]) -> None:
    # The address was signed for a request without content type, which urllib would fill in.
    request = urllib.request.Request(address, data=body, method="PUT", headers={"Content-Type": ""})  # noqa: S310
    for pause_s in (*pauses_s, None):
        try:
            with urllib.request.urlopen(request, timeout=10):  # noqa: S310 - the address is CloudFormation's own
                return
        except (urllib.error.URLError, OSError):
            if pause_s is None:
                raise
            logger.warning("CloudFormation could not be told; trying again", exc_info=True)
            time.sleep(pause_s)
