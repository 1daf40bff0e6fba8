"""``POST /v1/chat/completions``, streamed or not."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.devkit.mainline import chunks, faults, history, usage
from tests.devkit.mainline.caller import Caller
from tests.devkit.mainline.clock import Clock
from tests.devkit.mainline.prefix_cache import PrefixCache
from tests.devkit.mainline.pricing import Model, permitted
from tests.devkit.mainline.prompt import render, tokens
from tests.devkit.mainline.requests import RequestLog
from tests.devkit.mainline.scripts import Call, Queues, Script
from tests.devkit.mainline.usage import COST_HEADER, Counted
from tests.devkit.mainline.wire import Reply

# What a scripted fault without a text has begun to say when the connection breaks.
BROKEN_OFF = "This answer was begun in good faith, and then the connection went away."

Demo = Callable[[dict[str, Any], str], Script]
"""Answers a chat request for a feature when nothing is queued."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a call will be answered with."""

    id: str
    model: Model
    script: Script
    calls: list[tuple[str, Call]]
    input_tokens: int
    cached_tokens: int

    @property
    def reason(self) -> str:
        """Why it ends."""
        return self.script.finish_reason or ("tool_calls" if self.calls else "stop")

    def usage(self, scripted: dict[str, Any] | None, share: float = 1.0) -> dict[str, Any]:
        """What it used and cost."""
        called = "".join(call.name + chunks.arguments(call) for _, call in self.calls)
        said = self.script.reasoning + self.script.text + self.script.refusal + called
        counted = Counted(self.input_tokens, self.cached_tokens, tokens(said))
        return usage.report(self.model, counted, scripted, share)


class Chat:
    """The chat route with what it keeps: the queues, the cache, and the log."""

    def __init__(self, clock: Clock, log: RequestLog, demo: Demo) -> None:
        self._clock = clock
        self._log = log
        self._demo = demo
        self._numbers = itertools.count(1)
        self.scripts: Queues[Script] = Queues()
        self.cache = PrefixCache(clock)

    def prepare(self, raw: bytes, body: dict[str, Any], caller: Caller) -> Answer:
        """Check the request, keep it, and find its answer.

        Raises:
            ApiError: the request is refused.
        """
        model = permitted(body, "chat")
        received = self._log.add(caller.user, caller.feature, model.id, raw)
        history.check(body)
        history.check_tools(body)
        prompt = render(raw, body)
        received.input_tokens = tokens(prompt)
        script = self.scripts.take(caller.feature, caller.user) or self._demo(body, caller.feature)
        if script.error in (None, "cut"):
            received.cached_tokens = self.cache.read(model.id, prompt)
            self.cache.write(model.id, prompt)
        number = next(self._numbers)
        calls = [(f"call_{number:06x}{index:02x}", call) for index, call in enumerate(script.calls)]
        return Answer(f"chatcmpl-{number:08x}", model, script, calls, received.input_tokens, received.cached_tokens)

    async def answer(self, raw: bytes, body: dict[str, Any], caller: Caller, reply: Reply) -> None:
        """Answer one request, in the form it asks for.

        Raises:
            ApiError: the request is refused, or its script says so.
        """
        answer = self.prepare(raw, body, caller)
        script = answer.script
        silent = script.error == "timeout" and not script.text
        if isinstance(script.error, int) or silent:
            await faults.pause(script.delay_s)
            await faults.fail(script.error, reply)
        elif body.get("stream"):
            await self._stream(answer, bool((body.get("stream_options") or {}).get("include_usage")), reply)
        else:
            await faults.pause(script.delay_s + script.token_delay_ms / 1000 * len(chunks.pieces(script.text)))
            if not await faults.fail(script.error, reply):
                whole = self.whole(answer)
                # A plain call has its cost in a header; only a stream, whose headers left before, has it in the usage.
                cost = whole.get("usage", {}).pop("cost", None)
                reply.json(200, whole, {} if cost is None else {COST_HEADER: repr(cost)})

    def whole(self, answer: Answer, share: float = 1.0) -> dict[str, Any]:
        """The answer as one object; without usage when the script leaves it out."""
        created = int(self._clock.now())
        script, totals = answer.script, answer.script.usage
        whole = chunks.completion(
            answer.id,
            created,
            answer.model.id,
            text=script.text,
            refusal=script.refusal,
            calls=answer.calls,
            reason=answer.reason,
        )
        if totals is None or totals:
            whole["usage"] = answer.usage(totals[-1] if totals else None, share)
        return whole

    async def _stream(self, answer: Answer, with_usage: bool, reply: Reply) -> None:
        script = answer.script
        reply.begin(200, "text/event-stream; charset=utf-8", {"cache-control": "no-cache"})
        await faults.pause(script.delay_s)
        events = self._events(answer, with_usage)
        if script.token_delay_ms > 0:
            for event in events:
                reply.send(event)
                await reply.drain()
                await faults.pause(script.token_delay_ms / 1000)
        else:
            reply.send(b"".join(events))
        if not await faults.fail(script.error, reply):
            reply.end()

    def _events(self, answer: Answer, with_usage: bool) -> Iterator[bytes]:
        script, totals = answer.script, answer.script.usage
        write = chunks.Chunks(answer.id, int(self._clock.now()), answer.model.id, with_usage=with_usage)
        yield write.role()
        yield from map(write.reasoning, chunks.pieces(script.reasoning))
        if script.error is not None:
            words = chunks.pieces(script.text or BROKEN_OFF)
            yield from map(write.text, words[: max(1, len(words) // 2)])
            return
        running = totals if with_usage and totals and len(totals) > 1 else ()
        for index, word in enumerate(chunks.pieces(script.text)):
            yield write.text(word, answer.usage(running[index]) if index < len(running) else None)
        yield from map(write.refusal, chunks.pieces(script.refusal))
        for index, (call_id, call) in enumerate(answer.calls):
            yield from write.call(index, call_id, call)
        yield write.finish(answer.reason)
        if with_usage and (totals is None or totals):
            yield write.usage(answer.usage(totals[-1] if totals else None))
        yield chunks.DONE
