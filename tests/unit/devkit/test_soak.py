"""A seed always means the same schedule, and no broken promise goes unseen."""

import copy
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.devkit.soak.heard import Heard
from tests.devkit.soak.person import Sent
from tests.devkit.soak.promises import Ledger, differently_shown
from tests.devkit.soak.schedule import POINTS, Schedule

Rows = dict[str, list[dict[str, Any]]]

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
SENT = Sent("key-1", "hello", "said-1", "conv-1", "turn-1")
CHUNKS: list[dict[str, Any]] = [
    {"type": "start", "messageId": "reply-1"},
    {"type": "data-turn", "data": {"turnId": "turn-1"}, "transient": True},
    {"type": "start-step"},
    {"type": "text-start", "id": "text-1"},
    {"type": "text-delta", "id": "text-1", "delta": "Good "},
    {"type": "text-delta", "id": "text-1", "delta": "day."},
    {"type": "text-end", "id": "text-1"},
    {"type": "finish-step"},
    {"type": "finish"},
]
PARTS: list[dict[str, Any]] = [{"type": "step-start"}, {"type": "text", "text": "Good day.", "state": "done"}]
KEPT: Rows = {
    "lanes": [{"holder": None, "ready_at": None}],
    "inbox": [
        {
            "id": 1,
            "state": "done",
            "idempotency_key": "key-1",
            "message_id": "said-1",
            "turn_id": "turn-1",
            "accepted_turn_id": "turn-1",
        }
    ],
    "turns": [
        {
            "id": "turn-1",
            "state": "done",
            "attempt": 1,
            "reply_id": "reply-1",
            "started_at": NOON,
            "finished_at": NOON + timedelta(seconds=1),
        }
    ],
    "messages": [
        {"id": "said-1", "conversation_id": "conv-1", "turn_id": "turn-1", "role": "user", "parts": [], "position": 1},
        {
            "id": "reply-1",
            "conversation_id": "conv-1",
            "turn_id": "turn-1",
            "role": "assistant",
            "parts": PARTS,
            "position": 2,
        },
    ],
    "outbox": [{"id": 1, "turn_id": "turn-1", "state": "sent"}],
    "costs": [{"turn_id": "turn-1", "feature": "chat", "status": "exact"}],
    "thread_messages": [
        {"conversation_id": "conv-1", "message_id": "said-1", "turn_id": "turn-1", "message": {"type": "human"}},
        {
            "conversation_id": "conv-1",
            "message_id": "ai-1",
            "turn_id": "turn-1",
            "message": {"type": "ai", "content": "Good day."},
        },
    ],
}


def broken(rows: Rows) -> list[str]:
    ledger = Ledger(rows)
    return [
        *ledger.unfinished(),
        *ledger.out_of_order(),
        *ledger.miscounted(),
        *ledger.wrongly_answered(SENT),
        *ledger.differently_placed("conv-1"),
        *ledger.remembered_differently("conv-1"),
    ]


def heard(chunks: list[dict[str, Any]]) -> Heard:
    return Heard(list(range(1, len(chunks) + 1)), chunks, done=True)


def test_a_seed_is_one_schedule() -> None:
    assert Schedule.of(7) == Schedule.of(7)
    assert Schedule.of(7) != Schedule.of(8)


def test_every_point_is_met_by_some_schedule() -> None:
    weather = [event for seed in range(300) for event in Schedule.of(seed).weather if event.what == "kill"]
    assert {(event.function, event.point) for event in weather} == set(POINTS)
    assert {event.how for event in weather} == {"kill", "freeze", "blackhole"}


def test_an_orderly_person_breaks_no_promise() -> None:
    assert broken(copy.deepcopy(KEPT)) == []


@pytest.mark.parametrize(
    ("table", "row", "change", "complaint"),
    [
        ("inbox", 0, {"state": "running"}, "inbox row 1 is running"),
        ("turns", 0, {"state": "queued"}, "turn-1 is queued"),
        ("outbox", 0, {"state": "new"}, "outbox row 1 is new"),
        ("lanes", 0, {"holder": "worker-1"}, "the lane is held by worker-1"),
        ("messages", 1, {"id": "reply-2"}, "the reply of turn-1 is reply-2"),
        ("messages", 1, {"position": 3}, "places in the conversation"),
        ("thread_messages", 1, {"message": {"type": "ai", "content": "Good day.Good day."}}, "the model remembers"),
        ("thread_messages", 1, {"message_id": "said-1"}, "holds a message twice"),
        ("costs", 0, {"status": "estimated"}, "0 exact costs"),
        ("costs", 0, {"feature": "web_search"}, "0 exact costs"),
    ],
)
def test_what_is_wrong_in_one_row_is_told(table: str, row: int, change: dict[str, Any], complaint: str) -> None:
    rows = copy.deepcopy(KEPT)
    rows[table][row] |= change
    assert any(complaint in promise for promise in broken(rows)), broken(rows)


@pytest.mark.parametrize("table", ["messages", "outbox"])
def test_a_second_reply_or_delivery_is_told(table: str) -> None:
    rows = copy.deepcopy(KEPT)
    rows[table].append(copy.deepcopy(rows[table][-1]))
    assert any("replies and" in promise for promise in broken(rows))


def test_two_turns_at_once_are_told() -> None:
    rows = copy.deepcopy(KEPT)
    rows["turns"].append(rows["turns"][0] | {"id": "turn-2", "started_at": NOON + timedelta(milliseconds=500)})
    assert any("began before" in promise for promise in broken(rows))


def test_a_client_that_shows_what_the_transcript_holds_is_content() -> None:
    sent = Sent("key-1", "hello", "said-1", "conv-1", "turn-1", heard(CHUNKS))
    assert differently_shown(sent, [{"id": "reply-1", "parts": PARTS}]) == []


@pytest.mark.parametrize(
    ("chunks", "complaint"),
    [
        (CHUNKS[:-1], "does not end once"),
        ([*CHUNKS, CHUNKS[-1]], "does not end once"),
        ([*CHUNKS[:7], *CHUNKS[3:]], "opened twice"),
        ([CHUNKS[0], *CHUNKS], "does not begin once"),
        ([*CHUNKS[:5], *CHUNKS[6:]], "the client shows"),
    ],
)
def test_a_client_that_was_shown_something_else_complains(chunks: list[dict[str, Any]], complaint: str) -> None:
    sent = Sent("key-1", "hello", "said-1", "conv-1", "turn-1", heard(chunks))
    assert any(complaint in fault for fault in differently_shown(sent, [{"id": "reply-1", "parts": PARTS}]))
