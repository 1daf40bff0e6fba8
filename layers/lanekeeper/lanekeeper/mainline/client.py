"""The one Mainline client (K1): an OpenAI-compatible gateway behind one key."""

import json
import string
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from urllib.parse import quote

from lanekeeper.ledger.call import Call, Meter
from lanekeeper.ledger.rules import Usage
from lanekeeper.limits import Limits
from lanekeeper.mainline import text, tokens
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.reply import Assembly, Delta, Ending
from lanekeeper.mainline.transport import Transport
from lanekeeper.mainline.usage import answered
from lanekeeper.settings import Secret
from lanekeeper.types import Json

COST_HEADER = "x-litellm-response-cost"
_HEADER_SAFE = string.punctuation.replace("%", "") + " "


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """On whose behalf a model is called, for which feature, and who counts the cost.

    ``user_id`` comes from the signed-in session, never from a model or a client (E1).
    """

    user_id: str
    meter: Meter
    turn_id: str | None = None
    feature: str = "chat"


class Mainline:
    """Calls models. It never retries: whoever asks decides that (T5).

    One instance serves one event loop, for as long as the process lives.

    Args:
        base_url: the gateway's address, up to and including ``/v1``.
        key: what the gateway lets us in with.
        limits: how long a provider may be silent, and a call may take.
    """

    def __init__(self, base_url: str, key: Secret, limits: Limits) -> None:
        self._transport = Transport(base_url, key, limits)
        self._corrections = tokens.Corrections()

    async def chat(self, model: Model, body: Json, caller: Caller) -> AsyncGenerator[Delta | Ending, None]:
        """Stream one reply: its pieces as they are written, then its ending, exactly once and last.

        Leaving the iterator early breaks the call off; what it used until then is counted all the same.

        Args:
            model: which model.
            body: the rest of the request, from ``chat_body``.
            caller: on whose behalf.

        Raises:
            MainlineError: the reply is not whole.
        """
        options = {"model": model.gateway_id, "stream": True, "stream_options": {"include_usage": True}}
        written = text.dumps(options | body)
        call = Call(
            user_id=caller.user_id,
            turn_id=caller.turn_id,
            feature=caller.feature,
            model=model.id,
            body=options | body,
            input_tokens=self._corrections.corrected(model.id, tokens.estimate(written)),
        )
        await caller.meter.opened(call)
        reply, failure = Assembly(), None
        try:
            async with aclosing(self._events(call, written, reply)) as events:
                async for event in events:
                    if delta := reply.take(_parse(event)):
                        yield delta
            ending = list(reply.end())
        except MainlineError as error:
            failure = error
            raise
        finally:
            usage = _usage(call, reply, failure)
            if usage.reported:
                self._corrections.learn(model.id, call.input_tokens, usage.input_tokens)
            await caller.meter.settled(call, usage, failed=failure is not None)
        for last in ending:
            yield replace(last, usage=usage) if isinstance(last, Ending) else last

    async def ask(self, path: str, model: Model, body: Json, caller: Caller, timeout_s: float) -> Json:
        """Make one call that is answered in one piece, such as typed questions or embeddings.

        Args:
            path: the endpoint, below ``/v1``.
            model: which model.
            body: the rest of the request.
            caller: on whose behalf.
            timeout_s: seconds until the answer must be there.

        Raises:
            MainlineError: it was refused, or no JSON object came in time.
        """
        request = {"model": model.gateway_id} | body
        written = text.dumps(request)
        call = Call(
            user_id=caller.user_id,
            turn_id=caller.turn_id,
            feature=caller.feature,
            model=model.id,
            body=request,
            input_tokens=self._corrections.corrected(model.id, tokens.estimate(written)),
        )
        await caller.meter.opened(call)
        # Until the gateway says more, what was sent may have to be paid for.
        used, failed = Usage(input_tokens=call.input_tokens), False
        try:
            headers, answer = await self._transport.post(path, written.encode(), _headers(call), timeout_s)
            if not isinstance(answer, dict):
                raise MainlineError("cut", retryable=True)
            used = answered(used, answer.get("usage"), headers.get(COST_HEADER))
            return answer
        except MainlineError as error:
            failed = True
            if error.kind not in {"timeout", "cut"}:
                used = Usage()
            raise
        finally:
            await caller.meter.settled(call, used, failed=failed)

    async def models(self, timeout_s: float) -> frozenset[str]:
        """The gateway's ids of all models that the key may use.

        Raises:
            MainlineError: they could not be learned within ``timeout_s`` seconds.
        """
        answer = await self._transport.get("models", timeout_s)
        listed = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(listed, list):
            raise MainlineError("unavailable", retryable=True)
        return frozenset(str(entry["id"]) for entry in listed if isinstance(entry, dict) and "id" in entry)

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    def _events(self, call: Call, written: str, reply: Assembly) -> AsyncGenerator[str, None]:
        return self._transport.events(
            "chat/completions",
            written.encode(),
            _headers(call),
            begun=lambda headers: reply.begin(headers.get(COST_HEADER)),
            finished=lambda: reply.finished,
        )


def _parse(data: str) -> Json:
    try:
        chunk = json.loads(data)
    except ValueError as error:
        raise MainlineError("unavailable", retryable=True) from error
    if not isinstance(chunk, dict):
        raise MainlineError("unavailable", retryable=True)
    return chunk


def _headers(call: Call) -> dict[str, str]:
    # Percent-encoded where a header could not carry it, so that no id can add a header of its own.
    return {
        "content-type": "application/json",
        "x-mainline-user": quote(call.user_id, safe=_HEADER_SAFE),
        "x-mainline-feature": quote(call.feature, safe=_HEADER_SAFE),
    }


def _usage(call: Call, reply: Assembly, failure: MainlineError | None) -> Usage:
    if reply.usage.reported:
        return reply.usage
    if failure and not reply.begun and failure.kind != "timeout":
        # Turned away, or never reached: nothing was read or written.
        return Usage()
    return Usage(
        input_tokens=call.input_tokens,
        output_tokens=tokens.estimate("".join(reply.written)),
        micros=reply.usage.micros,
    )
