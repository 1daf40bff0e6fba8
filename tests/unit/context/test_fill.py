"""How full the window is: seen before a provider refuses, and mended by what it counted last (C2, B070)."""

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from lanekeeper.context import Fill
from lanekeeper.graph.message_rows import from_row, to_row
from lanekeeper.ledger.rules import Usage
from lanekeeper.mainline.messages import answer, to_wire
from lanekeeper.mainline.reply import Ending

FIXED = '{"tools":[],"system":"You help."}'
BUDGET = 10_000
# What this provider makes of a Chinese character, more than anybody would guess.
PER_CHARACTER = 1.8


def said(text: str, counted_before: int) -> AIMessage:
    usage = Usage(input_tokens=counted_before, output_tokens=round(len(text) * PER_CHARACTER), reported=True)
    return answer(text, Ending(finish_reason="stop", usage=usage))


def chinese(turns: int) -> tuple[list[AnyMessage], int]:
    """A conversation of so many turns, and how many tokens it really is."""
    messages: list[AnyMessage] = []
    really = 20
    for number in range(turns):
        messages.append(HumanMessage("她周末常去北京西边" * 10, id=f"h{number}"))
        really += round(90 * PER_CHARACTER)
        reply = said("他们一起散步买水果" * 20, really)
        messages.append(reply)
        really += round(180 * PER_CHARACTER)
    return messages, really


@pytest.mark.parametrize("turns", [1, 5, 20])
def test_the_last_answer_knows_what_its_provider_counted_b070(turns: int) -> None:
    messages, really = chinese(turns)
    assert Fill.of(FIXED, messages) == Fill(really, really)


def test_what_came_after_it_is_estimated_by_the_same_measure_b070() -> None:
    messages, really = chinese(10)
    asked = HumanMessage("她周末常去北京西边" * 40, id="new")
    seen = Fill.of(FIXED, [*messages, asked])
    assert seen.counted == really
    assert seen.tokens == pytest.approx(really + 360 * PER_CHARACTER, rel=0.02)


def test_the_trigger_at_80_percent_fires_before_the_provider_refuses_b070() -> None:
    fired_at = really = 0
    for turns in range(1, 60):
        messages, really = chinese(turns)
        if Fill.of(FIXED, messages).passes(BUDGET, 0.8):
            fired_at = really
            break
    assert 0.8 * BUDGET < fired_at < BUDGET
    assert not Fill.of(FIXED, messages).passes(BUDGET, 1.0)


def test_without_any_count_an_estimate_fires_it_before_the_provider_refuses_b070() -> None:
    messages: list[AnyMessage] = []
    while not Fill.of(FIXED, messages).passes(BUDGET, 0.8):
        messages.append(HumanMessage("她周末常去北京西边" * 10, id=str(len(messages))))
    characters = sum(len(message.text) for message in messages)
    # Public tokenizers need 0.8 to 1.4 tokens for such a character.
    assert characters * 1.4 < BUDGET
    assert Fill.of(FIXED, messages).counted == 0


def test_a_count_is_kept_with_the_answer_and_never_sent() -> None:
    reply = said("好", 1234)
    kept = from_row(to_row(reply))
    assert Fill.of(FIXED, [kept]).counted == 1234 + 2
    assert to_wire([kept]) == [{"role": "assistant", "content": "好"}]


def test_a_guess_of_ours_is_not_kept_as_a_count() -> None:
    guessed = answer("Hi", Ending(finish_reason="stop", usage=Usage(input_tokens=9, output_tokens=1)))
    assert guessed.additional_kwargs == {}
