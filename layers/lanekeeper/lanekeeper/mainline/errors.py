"""How a call to a model fails: a small family, the same for every provider behind the gateway."""

import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from lanekeeper import clock

Kind = Literal["timeout", "rate_limited", "unavailable", "refused", "invalid", "cut"]

_REASON = re.compile(r"[A-Za-z][A-Za-z0-9_]{1,60}")
# Asking again cannot help with these, whatever the status says.
_FINAL_REASONS = frozenset({"insufficient_quota", "budget_exceeded"})


class MainlineError(Exception):
    """A call that brought no whole answer.

    Its text is ours and holds nothing of what a person or a provider wrote, so it may be logged.

    Args:
        kind: ``timeout`` (silent for too long), ``rate_limited``, ``unavailable`` (not reached, or broken),
            ``refused`` (key or model not allowed, or a spending cap), ``invalid`` (the request itself is wrong,
            too long included), ``cut`` (the answer broke off).
        retryable: whether the same request can work on a second try.
        status: the gateway's HTTP status, where there was one.
        reason: the gateway's short code, such as ``context_length_exceeded``, or empty.
        retry_after_s: whole seconds the gateway asked to wait, where it did.
    """

    def __init__(
        self,
        kind: Kind,
        *,
        retryable: bool,
        status: int | None = None,
        reason: str = "",
        retry_after_s: int | None = None,
    ) -> None:
        told = [f"the model call failed: {kind}", f"status {status}" if status else "", reason]
        super().__init__(", ".join(part for part in told if part))
        self.kind = kind
        self.retryable = retryable
        self.status = status
        self.reason = reason
        self.retry_after_s = retry_after_s


def from_status(status: int, body: Any, headers: Mapping[str, str]) -> MainlineError:
    """The failure that an HTTP status and an OpenAI-shaped error body mean."""
    reason = reason_of(body)
    kind, retryable = _kind(status)
    if reason in _FINAL_REASONS:
        kind, retryable = "refused", False
    wait = retry_after_s(headers.get("retry-after", "")) if retryable else None
    return MainlineError(kind, retryable=retryable, status=status, reason=reason, retry_after_s=wait)


def from_event(error: Any) -> MainlineError:
    """The failure that an error inside a stream means: its code may be a status."""
    code = error.get("code") if isinstance(error, dict) else None
    if str(code).isdigit():
        return from_status(int(str(code)), {"error": error}, {})
    return MainlineError("unavailable", retryable=True, reason=reason_of({"error": error}))


def reason_of(body: Any) -> str:
    """The short code in an error body. Anything that is no plain word is left out: it could quote a person."""
    error = body.get("error") if isinstance(body, dict) else None
    for key in ("code", "type"):
        word = error.get(key) if isinstance(error, dict) else None
        if isinstance(word, str) and _REASON.fullmatch(word):
            return word
    return ""


def retry_after_s(header: str) -> int | None:
    """Whole seconds from a Retry-After header, which may hold a date; None when it says nothing."""
    if header.isdigit():
        return int(header)
    try:
        moment: datetime = parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0, int((moment - clock.now()).total_seconds())) if moment.tzinfo else None


def _kind(status: int) -> tuple[Kind, bool]:
    if status == 429:
        return "rate_limited", True
    if status in {408, 504}:
        return "timeout", True
    if status >= 500 or status < 400:
        return "unavailable", True
    if status in {401, 402, 403, 404}:
        return "refused", False
    return "invalid", False
