"""Every JSON route and the page's files, for API Gateway's proxy events."""

from typing import Any

from lanekeeper.log import logger
from lanekeeper.wiring.accept import build

gateway = build()


@logger.inject_lambda_context(clear_state=True, log_event=False)
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer one request. The log forgets the last one's person first (B081)."""
    return gateway(event, context)
