"""The month that is measured: its script is the same each time, and its model and its key are honest."""

import json
from datetime import timedelta
from itertools import pairwise

from tests.devkit.bench.month_answers import Answers, holds
from tests.devkit.bench.month_model import asks_of_oneself, notes, summary
from tests.devkit.bench.month_rivals import Frame, FullHistory, Middleware, Window
from tests.devkit.bench.month_script import Fact, Message, Month, facts, month

FACT = Fact("Our dog is called Biscuit.", "What is our dog called?", "Biscuit")
MOVED = Fact("I live in Oslo.", "Where do I live?", "Oslo", "I have moved to Bergen.", "Bergen")


def messages(whole: Month) -> list[Message]:
    return [message for sitting in whole.sittings for message in sitting]


def test_a_month_is_the_same_each_time_and_asks_for_each_fact_after_it_was_told() -> None:
    whole = messages(month())
    assert whole == messages(month())
    assert len(whole) == 1200
    assert [message.at for message in whole] == sorted({message.at for message in whole})
    for fact in facts():
        about = [message for message in whole if message.fact == fact]
        kinds = [message.kind for message in about]
        middle = ["correct"] * bool(fact.correct) + ["forget"] * bool(fact.forget)
        assert kinds in (["tell", *middle, "ask"], ["remember", *middle, "ask"])
        assert all(later.at - earlier.at > timedelta(days=1) for earlier, later in pairwise(about))


def test_no_everyday_message_and_no_question_says_what_counts() -> None:
    whole = messages(month())
    for fact in facts():
        said = [message.text + message.answer for message in whole if message.fact != fact or message.kind == "ask"]
        assert not any(holds(text, value) for text in said for value in (fact.value, fact.now))


def test_the_model_takes_over_what_is_said_of_oneself_and_knows_no_questions() -> None:
    told = [
        {"role": "system", "content": "<summary>\n- I live in Oslo.\n</summary>"},
        {"role": "user", "content": "Can you explain the tides? Our dog is called Biscuit. I am tired today."},
        {"role": "assistant", "content": "I like water."},
        {"role": "user", "content": "Sum it up."},
    ]
    assert summary(told) == "- I live in Oslo.\n- Our dog is called Biscuit."
    at_once = [{"role": "user", "content": "Sum up.\n\nHuman: Our dog is called Biscuit. Is it?\nAI: My guess is yes."}]
    assert summary(at_once) == "- Our dog is called Biscuit."
    line = json.dumps({"from": "person", "id": "m1", "day": "Monday", "text": "Hello. Our dog is called Biscuit."})
    asked = [{"role": "user", "content": f"Known subjects: []\n\nThe conversation:\n{line}"}]
    [note] = json.loads(notes(asked))["notes"]
    assert (note["body"], note["source_message_id"]) == ("Our dog is called Biscuit", "m1")
    assert asks_of_oneself("What is our dog called?")
    assert not asks_of_oneself("What is a dog called?")


def test_a_fact_is_kept_outdated_or_lost_by_the_request_that_must_answer() -> None:
    whole = month(3, 15, told=[FACT, MOVED])
    for body, found in (
        ("Oslo Bergen", {"kept": 1, "outdated": 0, "lost": 1}),
        ("Oslo Biscuits", {"kept": 0, "outdated": 1, "lost": 1}),
        ("Biscuit, Bergen", {"kept": 2, "outdated": 0, "lost": 0}),
    ):
        answers = Answers(whole)
        for message in messages(whole):
            answers.saw(message.at, "chat", body)
        assert {name: answers.figures()[name] for name in found} == found


def test_the_others_send_what_they_are_called_by_and_only_one_summarises_inside_the_turn() -> None:
    whole = month(2, 20, told=[FACT])
    frame = Frame("small", "Be brief.", [{"type": "function", "function": {"name": "clock_now"}}])
    rivals = [kind(frame, Answers(whole)) for kind in (FullHistory, Window, Middleware)]
    for rival in rivals:
        for message in messages(whole):
            rival.turn(message, ())
    full, window, middleware = (rival.spent["chat"] for rival in rivals)
    assert full["calls"] == window["calls"] == middleware["calls"] == 40
    assert full["input"] > middleware["input"] > window["input"]
    assert full["output"] == window["output"]
    assert [bool(rival.waited_s) for rival in rivals] == [False, False, True]
    assert [rival.answers.figures()["kept"] for rival in rivals] == [1, 0, 1]
