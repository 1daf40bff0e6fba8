"""A function's log: JSON lines that say what happened to whom, as a hash, and never what anyone said."""

from aws_lambda_powertools import Logger

from lanekeeper.redact import hashed

# Every module of the product logs below this name, and so through this logger's formatter and with its keys.
logger = Logger(service="lanekeeper")


def name_person(user_id: str, **keys: str) -> None:
    """Let the lines that follow carry the person's hash, and further keys that hold nothing personal.

    The handler clears them with the next invocation (B081).
    """
    logger.append_keys(user=hashed(user_id), **keys)


def forget_person(*keys: str) -> None:
    """Let the lines that follow speak of nobody."""
    logger.remove_keys(["user", *keys])
