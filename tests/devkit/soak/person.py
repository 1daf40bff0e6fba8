"""A person as our own page acts for them: a message is sent until it is accepted, a stream is read until it ends."""

import asyncio
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.devkit.soak.heard import ENDS, Heard
from tests.devkit.soak.schedule import Message
from tests.devkit.soak.story import Story
from tests.devkit.system import System, someone

Json = dict[str, Any]

# So long the page waits for an acceptance before it sends the message again, and for a sign of life of a stream.
ACCEPT_PATIENCE_S = 6.0
SILENCE_S = 4.0
# The product lets a person hold three streams and ends the oldest beyond that.
STREAMS = 2


@dataclass(slots=True)
class Sent:
    """A message that was accepted, and what its stream showed."""

    key: str
    text: str
    message_id: str
    conversation_id: str
    turn_id: str
    heard: Heard = field(default_factory=Heard)


class Person:
    """One person with conversations of their own."""

    def __init__(self, system: System, story: Story, name: str) -> None:
        self.sub = someone(name)
        self.name = name
        self.sent: list[Sent] = []
        self._system = system
        self._story = story
        self._conversations: dict[int, str] = {}
        self._reading: list[asyncio.Task[None]] = []
        self._streams = asyncio.Semaphore(STREAMS)

    async def play(self, messages: tuple[Message, ...]) -> None:
        """Send all messages in order, each once the one before was accepted; replies are read meanwhile."""
        for message in messages:
            await asyncio.sleep(message.after_s)
            sent = await self.send(message)
            self._reading.append(asyncio.create_task(self._read_late(sent, message.late_s)))
            if message.stop_after_s is not None:
                self._reading.append(asyncio.create_task(self._stop(sent, message.stop_after_s)))

    @property
    def reading(self) -> bool:
        """Whether a stream has not ended yet."""
        return any(not task.done() for task in self._reading)

    async def finish(self) -> None:
        """End what still reads. Raises what reading met."""
        for task in self._reading:
            task.cancel()
        ended = await asyncio.gather(*self._reading, return_exceptions=True)
        for error in ended:
            if isinstance(error, Exception):
                raise error

    async def send(self, message: Message) -> Sent:
        """Send one message, under one key, until it is accepted."""
        key = f"key-{secrets.token_hex(6)}"
        body: Json = {"text": message.text, "messageId": f"said-{secrets.token_hex(6)}"}
        if message.conversation in self._conversations:
            body["conversationId"] = self._conversations[message.conversation]
        answers = await asyncio.gather(*[self._post_until_accepted(key, body) for _ in range(1 + message.twice)])
        accepted = answers[0]
        assert all(answer["turnId"] == accepted["turnId"] for answer in answers), answers
        self._conversations[message.conversation] = accepted["conversationId"]
        sent = Sent(key, message.text, body["messageId"], accepted["conversationId"], accepted["turnId"])
        self.sent.append(sent)
        self._story.tell(f"{self.name}: {message.text!r} accepted as {sent.turn_id}, {accepted['state']}")
        return sent

    async def _post_until_accepted(self, key: str, body: Json) -> Json:
        for _ in range(30):
            try:
                async with asyncio.timeout(ACCEPT_PATIENCE_S):
                    answer = await self._system.post(self.sub, body["text"], key=key, **_without_text(body))
            except (TimeoutError, httpx.HTTPError) as error:
                self._story.tell(f"{self.name}: no acceptance ({type(error).__name__}), sent again")
                continue
            if answer.status_code == 202:
                accepted: Json = answer.json()
                return accepted
            assert answer.status_code >= 500, f"{answer.status_code} {answer.text}"
            self._story.tell(f"{self.name}: {answer.status_code} instead of an acceptance, sent again")
            await asyncio.sleep(0.2)
        raise AssertionError(f"{self.name}: {body['text']!r} was never accepted")

    async def _read_late(self, sent: Sent, late_s: float) -> None:
        await asyncio.sleep(late_s)
        await self.read(sent.conversation_id, sent.turn_id, sent.heard)
        self._story.tell(f"{self.name}: {sent.text!r} was answered by {sent.heard.turn_id}")

    async def read(self, conversation_id: str, turn_id: str, heard: Heard) -> None:
        """Read a turn's stream to its end, resuming after each cut where the last one stopped."""
        path = f"/chat/{conversation_id}/stream?turn={turn_id}"
        while not heard.done:
            try:
                async with self._streams:
                    await self._read_once(path, heard)
            except (TimeoutError, httpx.HTTPError) as error:
                self._story.tell(f"{self.name}: stream of {turn_id} broke ({type(error).__name__})")
            if not heard.done:
                await asyncio.sleep(0.1)

    async def _read_once(self, path: str, heard: Heard) -> None:
        headers = {"Authorization": f"Bearer {await self._system.token(self.sub)}"}
        if heard.seqs:
            headers["Last-Event-ID"] = str(heard.last_seq)
        async with asyncio.timeout(SILENCE_S) as silence:
            async with self._system.http.stream("GET", self._system.at(path), headers=headers) as response:
                assert response.status_code == 200 or response.status_code >= 500, f"{path}: {response.status_code}"
                if response.status_code != 200:
                    return
                event: dict[str, str] = {}
                async for line in response.aiter_lines():
                    silence.reschedule(asyncio.get_running_loop().time() + SILENCE_S)
                    if line:
                        name, _, value = line.partition(": ")
                        event[name] = value
                        continue
                    # An event counts once its empty line has come: one that was cut in the middle is asked for again.
                    if event.get("data") == "[DONE]":
                        heard.done = bool(heard.chunks) and heard.chunks[-1]["type"] in ENDS
                    elif "data" in event:
                        heard.seqs.append(int(event["id"]))
                        heard.chunks.append(json.loads(event["data"]))
                    event = {}

    async def _stop(self, sent: Sent, after_s: float) -> None:
        await asyncio.sleep(after_s)
        with_patience = asyncio.timeout(ACCEPT_PATIENCE_S)
        try:
            async with with_patience:
                answer = await self._system.request(self.sub, "POST", f"/chat/{sent.conversation_id}/stop", json={})
            self._story.tell(f"{self.name}: stop, {answer.status_code}")
        except (TimeoutError, httpx.HTTPError) as error:
            self._story.tell(f"{self.name}: stop was not heard ({type(error).__name__})")


def _without_text(body: Json) -> Json:
    return {name: value for name, value in body.items() if name != "text"}
