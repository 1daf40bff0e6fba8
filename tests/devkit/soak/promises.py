"""The promises that hold whatever happened: looked up in the database, in the transcript and in what clients saw."""

from collections import defaultdict
from itertools import pairwise
from typing import Any

from lanekeeper.replies.contract import BREAK
from tests.devkit.soak.person import Person, Sent
from tests.devkit.system import System

Json = dict[str, Any]
Rows = list[Json]


async def broken_promises(system: System, person: Person) -> list[str]:
    """Which promises are broken for one person, in plain words."""
    ledger = await Ledger.of(system, person.sub)
    broken = [*ledger.unfinished(), *ledger.out_of_order(), *ledger.miscounted()]
    for sent in person.sent:
        broken += ledger.wrongly_answered(sent)
    for conversation_id in {sent.conversation_id for sent in person.sent}:
        shown = await system.transcript(person.sub, conversation_id)
        broken += ledger.differently_placed(conversation_id)
        broken += ledger.remembered_differently(conversation_id)
        for sent in person.sent:
            if sent.conversation_id == conversation_id:
                broken += differently_shown(sent, shown)
    return [f"{person.name}: {promise}" for promise in broken]


def differently_shown(sent: Sent, shown: Rows) -> list[str]:
    """A client that followed the stream holds the message that the transcript gives to one that comes later."""
    heard = sent.heard
    if not heard.done:
        return [f"the stream of {sent.text!r} never ended"]
    stored = next((message for message in shown if message["id"] == heard.message_id), None)
    if stored is None and any(chunk["type"] == "abort" for chunk in heard.chunks):
        return []  # stopped before anyone had begun it: there is no reply to show
    if stored is None:
        return [f"{sent.text!r} was answered by {heard.message_id or 'nothing'}, which no transcript holds"]
    faults = [f"stream of {sent.text!r}: {fault}" for fault in heard.faults()]
    if stored["parts"] != heard.parts():
        faults.append(f"{sent.text!r}: the client shows {heard.parts()}, the transcript {stored['parts']}")
    return faults


class Ledger:
    """Everything that the database holds of one person."""

    def __init__(self, rows: dict[str, Rows]) -> None:
        self._rows = rows
        self._turns = {turn["id"]: turn for turn in rows["turns"]}

    @classmethod
    async def of(cls, system: System, sub: str) -> "Ledger":
        """Read it, past row-level security."""
        rows = {
            table: await system.sql(f"select * from {table} where user_id = %s order by {order}", [sub])
            for table, order in (
                ("lanes", "user_id"),
                ("inbox", "id"),
                ("turns", "started_at nulls last, id"),
                ("messages", "conversation_id, position"),
                ("outbox", "id"),
                ("costs", "id"),
                ("thread_messages", "conversation_id, position"),
            )
        }
        return cls(rows)

    def unfinished(self) -> list[str]:
        """Nothing waits, runs, or is held once all is quiet (B046)."""
        found = [f"inbox row {row['id']} is {row['state']}" for row in self._rows["inbox"] if row["state"] in OPEN]
        found += [f"{turn['id']} is {turn['state']}" for turn in self._turns.values() if turn["state"] not in ENDED]
        found += [f"outbox row {row['id']} is {row['state']}" for row in self._rows["outbox"] if row["state"] != "sent"]
        for lane in self._rows["lanes"]:
            if lane["holder"] or lane["ready_at"]:
                found.append(f"the lane is held by {lane['holder']}, ready at {lane['ready_at']}")
        return found

    def wrongly_answered(self, sent: Sent) -> list[str]:
        """One inbox row, one place in the transcript, one ended turn with one reply and one delivery."""
        rows = [row for row in self._rows["inbox"] if row["idempotency_key"] == sent.key]
        said = [row for row in self._rows["messages"] if row["id"] == sent.message_id]
        if len(rows) != 1 or len(said) != 1 or said[0]["position"] is None:
            return [f"{sent.text!r} stands {len(rows)} times in the inbox, {len(said)} times in the transcript"]
        if rows[0]["accepted_turn_id"] != sent.turn_id:
            return [f"{sent.text!r} was accepted as {sent.turn_id}, the inbox says {rows[0]['accepted_turn_id']}"]
        turn = self._turns.get(rows[0]["turn_id"])
        if turn is None:
            return [f"{sent.text!r} is answered by {rows[0]['turn_id']}, which is no turn"]
        replies = [row for row in self._rows["messages"] if row["turn_id"] == turn["id"] and row["role"] == "assistant"]
        sendings = [row for row in self._rows["outbox"] if row["turn_id"] == turn["id"]]
        expected = 0 if turn["state"] == "stopped" and turn["attempt"] == 0 else 1
        if len(replies) != expected or len(sendings) != expected:
            return [f"{sent.text!r} has {len(replies)} replies and {len(sendings)} deliveries in {turn['id']}"]
        if replies and replies[0]["id"] != turn["reply_id"]:
            return [f"the reply of {turn['id']} is {replies[0]['id']}, not {turn['reply_id']}"]
        return []

    def out_of_order(self) -> list[str]:
        """No two turns of one person at once, and each begun in the order of its first message (T1)."""
        ran = [turn for turn in self._rows["turns"] if turn["started_at"] and turn["finished_at"]]
        found = [
            f"{later['id']} began before {earlier['id']} had ended"
            for earlier, later in pairwise(ran)
            if later["started_at"] < earlier["finished_at"]
        ]
        first: dict[str, int] = {}
        for row in self._rows["inbox"]:
            first.setdefault(row["turn_id"], row["id"])
        heads = [first[turn["id"]] for turn in ran if turn["id"] in first]
        if heads != sorted(heads):
            found.append(f"turns began with the messages {heads}")
        return found

    def differently_placed(self, conversation_id: str) -> list[str]:
        """Messages stand in the order of their acceptance, each reply after those that it answers."""
        placed = [row for row in self._rows["messages"] if row["conversation_id"] == conversation_id]
        positions = [row["position"] for row in placed]
        found = [] if positions == list(range(1, len(placed) + 1)) else [f"places in the conversation are {positions}"]
        accepted = {row["message_id"]: row["id"] for row in self._rows["inbox"]}
        said = [accepted[row["id"]] for row in placed if row["role"] == "user"]
        if said != sorted(said):
            found.append(f"messages stand in the order {said}")
        answered: set[str] = set()
        for row in placed:
            if row["role"] == "assistant":
                answered.add(row["turn_id"])
            elif row["turn_id"] in answered:
                found.append(f"{row['id']} stands after the reply of its turn")
        return found

    def remembered_differently(self, conversation_id: str) -> list[str]:
        """The model's memory holds each message once, each call with its result, and the text that was shown."""
        thread = [row for row in self._rows["thread_messages"] if row["conversation_id"] == conversation_id]
        found = []
        ids = [row["message_id"] for row in thread]
        if len(ids) != len(set(ids)):
            found.append(f"the thread holds a message twice: {ids}")
        calls: list[str] = []
        written: dict[str, str] = defaultdict(str)
        for row in thread:
            message = row["message"]
            if message["type"] == "tool":
                calls = [call for call in calls if call != message["tool_call_id"]]
                continue
            if calls:
                found.append(f"calls without a result: {calls}")
            calls = [call["id"] for call in message.get("tool_calls", ())]
            if message["type"] == "ai":
                written[row["turn_id"]] += message["content"]
        for row in self._rows["messages"]:
            if row["conversation_id"] == conversation_id and row["role"] == "assistant":
                shown = "".join(part["text"] for part in row["parts"] if part["type"] == "text")
                # A model remembers where one message ended and the next began; the person sees it.
                if shown != written[row["turn_id"]].replace(BREAK, ""):
                    found.append(f"{row['turn_id']} shows {shown!r}, the model remembers {written[row['turn_id']]!r}")
        return found

    def miscounted(self) -> list[str]:
        """Each call was charged at most once, and a recorded answer exactly once (K2)."""
        exact: dict[str, int] = defaultdict(int)
        for cost in self._rows["costs"]:
            # A turn also pays for its judgements and its searches.
            exact[cost["turn_id"]] += (cost["feature"], cost["status"]) == ("chat", "exact")
        answers: dict[str, int] = defaultdict(int)
        for row in self._rows["thread_messages"]:
            answers[row["turn_id"]] += row["message"]["type"] == "ai"
        return [
            f"{turn['id']} has {answers[turn['id']]} answers in its thread and {exact[turn['id']]} exact costs"
            for turn in self._turns.values()
            if turn["state"] == "done" and exact[turn["id"]] < answers[turn["id"]] > 0
        ]


OPEN = ("new", "running", "waiting", "held")
ENDED = ("done", "failed", "stopped")
