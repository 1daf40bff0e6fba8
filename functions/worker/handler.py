"""The worker function. An event is only a hint that a lane waits: what is to be done stands in the database."""

from typing import Any

from lanekeeper.log import logger
from lanekeeper.wiring.worker import Worker

worker = Worker()


@logger.inject_lambda_context(clear_state=True, log_event=False)
def handler(event: dict[str, Any], context: Any) -> dict[str, int]:
    """Run turns until no lane waits or the time is nearly over; how many ran."""
    return {"turns": worker.run(context.get_remaining_time_in_millis)}
