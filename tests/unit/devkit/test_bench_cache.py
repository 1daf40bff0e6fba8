"""The bench of the cached share counts what a provider would, for each way of sending a conversation."""

import statistics
from typing import Any

import pytest

from tests.devkit.bench.cache import WINDOW, Request, conversation, counted, staying, told, windowed
from tests.devkit.bench.scripts.words import words
from tests.devkit.bench.targets import verdicts

SYSTEM = {"role": "system", "content": words(6_000)}
NOTES = {"role": "system", "content": "For this reply only"}


def talk(turns: int, *, hard: frozenset[int] = frozenset(), moving: bool = False) -> list[Request]:
    """Requests of a conversation of so many turns. ``moving``: with something at the beginning that changes."""
    said: list[dict[str, Any]] = []
    requests = []
    for turn in range(turns):
        said.append({"role": "user", "content": words(200)})
        system = {**SYSTEM, "content": f"{turn} {SYSTEM['content']}"} if moving else SYSTEM
        body = {"tools": [], "messages": [system, *said, NOTES]}
        requests.append(Request("large" if turn in hard else "small", body, 120, turn == 0))
        said.append({"role": "assistant", "content": words(480)})
    return requests


def test_what_only_grows_is_read_from_the_cache_and_what_changes_early_is_not() -> None:
    assert counted(talk(50))["cached_share"] > 0.9
    assert counted(talk(50, moving=True))["cached_share"] == 0


def test_the_first_turn_is_not_in_the_share() -> None:
    assert counted(talk(2))["cached_share"] > 0.85
    assert counted(talk(2))["cached_tokens"] < 0.5 * counted(talk(2))["input_tokens"]


def test_each_model_has_a_cache_of_its_own() -> None:
    some = talk(40, hard=frozenset({20, 30}))
    assert (
        counted(talk(40))["cached_share"] > counted(some)["cached_share"] > counted(some, expires=True)["cached_share"]
    )


def test_a_conversation_that_stays_pays_the_large_models_price_from_then_on() -> None:
    some = talk(40, hard=frozenset({10}))
    stayed = staying(some)
    assert [one.model for one in stayed[9:12]] == ["small", "large", "large"]
    assert counted(stayed)["dollars"] > 2 * counted(some)["dollars"]
    easy = talk(3)
    assert staying(easy) == easy


def test_a_window_sends_the_system_prompt_the_last_messages_and_the_notes() -> None:
    one = windowed(talk(40))[-1].body["messages"]
    assert (one[0], one[-1]) == (SYSTEM, NOTES)
    assert one[1]["role"] == "user"
    assert WINDOW - 1 <= len(one) - 2 <= WINDOW
    assert counted(windowed(talk(40)))["cached_share"] < counted(talk(40))["cached_share"]


def test_a_window_never_begins_with_a_result_whose_call_was_cut_off() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "web_search", "arguments": "{}"}}
    step = [
        {"role": "user", "content": "Look"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "{}"},
        {"role": "assistant", "content": "There."},
    ]
    for length in range(1, 4):
        body = {"messages": [SYSTEM, *step * 4, *step[:length], NOTES]}
        (sent,) = windowed([Request("small", body, 1, False)])
        assert sent.body["messages"][1]["role"] == "user"


def test_the_conversation_is_as_long_as_people_write_and_the_same_each_time() -> None:
    said = conversation(100)
    assert said == conversation(100)
    lengths = [len(turn.text.split()) for turn in said if len(turn.text) < 5_000]
    answers = [len(turn.replies[-1]["text"].split()) for turn in said]
    assert len(lengths) == 99
    assert 25 < statistics.mean(lengths) < 45
    assert 80 < statistics.mean(answers) < 120
    assert 3 <= sum(turn.hard for turn in said) <= 15
    assert 15 <= sum(len(turn.replies) > 1 for turn in said) <= 40


@pytest.mark.parametrize(("share", "met"), [(0.951, True), (0.949, False)])
def test_the_target_is_judged_and_both_ways_are_told(share: float, met: bool) -> None:
    ways = {
        name: {"cached_share": share, "input_tokens": 1000, "cached_tokens": 900, "dollars": 0.5}
        for name in ("lanekeeper", "trim_messages")
    }
    cache = {"turns": 100, "requests": 120, "hard_requests": 9, "window": 10, "ways": ways}
    (judged,) = verdicts({"cache": cache})
    assert judged.met is met
    report = "\n".join(told(cache))
    assert report.count(f"{share:.1%}") == 2
    assert "| trim_messages |" in report
