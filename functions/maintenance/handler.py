"""The maintenance function. pg_cron starts it with the name of a job; nobody waits for it."""

from typing import Any

from lanekeeper.log import logger
from lanekeeper.wiring.maintenance import Maintenance

maintenance = Maintenance()


@logger.inject_lambda_context(clear_state=True, log_event=False)
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Run the job that the event names: ``{"job": "tick"}`` or ``{"job": "nightly"}``."""
    return maintenance.run(event, context.get_remaining_time_in_millis)
