"""The demo model: answers a newcomer when no test has queued a reply. Scripted through and through, and says so."""

from typing import Any

from tests.devkit.mainline.scripts import Script


class DemoModel:
    """Answers a chat request.

    Args:
        zero_delay: answer at once instead of at a reader's pace.
    """

    def __init__(self, *, zero_delay: bool = False) -> None:
        self._pace_ms = 0.0 if zero_delay else 18.0

    def __call__(self, body: dict[str, Any], feature: str) -> Script:
        """The answer to a request for a feature."""
        return Script(
            text="I am a scripted demo model. I can search the web and tell you the time.", token_delay_ms=self._pace_ms
        )
