"""The demo model: answers a newcomer when no test has queued a reply. Scripted through and through, and says so."""

from typing import Any

from tests.devkit.mainline.demo import backstage, dialogue, enclosures
from tests.devkit.mainline.demo.conversation import Conversation
from tests.devkit.mainline.demo.router import Router
from tests.devkit.mainline.scripts import Script

THINKING_S = 0.25
TOKEN_MS = 18.0


class DemoModel:
    """Answers a chat request.

    Args:
        zero_delay: answer at once instead of at a reader's pace.
    """

    def __init__(self, *, zero_delay: bool = False) -> None:
        self._thinking_s, self._token_ms = (0.0, 0.0) if zero_delay else (THINKING_S, TOKEN_MS)
        Router.load()

    def __call__(self, body: dict[str, Any], feature: str) -> Script:
        """The answer to a request for a feature."""
        fixed = backstage.answer(body, feature) or enclosures.answer(body)
        text, calls = dialogue.answer(Conversation.read(body)) if fixed is None else (fixed, ())
        return Script(text=text, calls=calls, delay_s=self._thinking_s, token_delay_ms=self._token_ms)
