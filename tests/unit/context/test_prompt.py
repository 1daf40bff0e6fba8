"""The prompt only ever grows at its end (C1, C5, B4, B072)."""

import json
from datetime import UTC, datetime

from langchain_core.messages import AIMessage, HumanMessage

from lanekeeper.context import model_input, turn_block
from lanekeeper.mainline.messages import to_wire
from lanekeeper.types import Prompt

PROMPT = Prompt("You help.", "v1", "abc")


def wire(*messages: HumanMessage | AIMessage, turn_only: str) -> list[str]:
    return [json.dumps(message) for message in to_wire(model_input(PROMPT, messages, [turn_only]))]


def test_b072_one_request_without_its_turn_only_block_begins_the_next() -> None:
    first = HumanMessage("Hi", id="1")
    earlier = wire(first, turn_only="It is 09:00.")
    later = wire(first, AIMessage("Hello", id="2"), HumanMessage("And now?", id="3"), turn_only="It is 09:14.")
    assert later[: len(earlier) - 1] == earlier[:-1]


def test_what_is_for_this_reply_only_stands_last_and_says_so() -> None:
    last = json.loads(wire(HumanMessage("Hi", id="1"), turn_only="It is 09:00.")[-1])
    assert last["content"].startswith("For this reply only")
    assert "It is 09:00." in last["content"]


def test_a_dead_drafts_text_stands_before_the_turn_only_block() -> None:
    roles = [m["role"] for m in to_wire(model_input(PROMPT, [HumanMessage("Hi", id="1")], ["now"], said="Hel"))]
    assert roles == ["system", "user", "assistant", "system"]


def test_days_are_worked_out_where_the_person_is() -> None:
    block = turn_block(datetime(2026, 12, 31, 23, 30, tzinfo=UTC), "Asia/Tokyo")
    assert "today is Friday 2027-01-01" in block
    assert "yesterday is Thursday 2026-12-31" in block
    assert "08:30 in Asia/Tokyo" in block


def test_a_day_with_a_clock_change_is_still_one_day() -> None:
    block = turn_block(datetime(2026, 3, 28, 23, 30, tzinfo=UTC), "Europe/Berlin")
    assert "today is Sunday 2026-03-29, yesterday is Saturday 2026-03-28, tomorrow is Monday 2026-03-30" in block
