"""How much a reply says over all the steps of its turn (E5)."""

from types import SimpleNamespace
from typing import cast

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from lanekeeper.limits import Limits
from lanekeeper.replies.contract import BREAK, MARK
from lanekeeper.turn.draft import Draft
from lanekeeper.turn.intake import Turn
from lanekeeper.turn.terms import Terms

CALL = {"name": "look", "args": {}, "id": "one", "type": "tool_call"}
TEXTS = st.lists(
    st.sampled_from(["Owls hunt. ", "At night. ", f"\n{MARK}\n", f"\n\n{MARK}\n", "No. "]), max_size=9
).map("".join)


def turn_of(messages: list[AnyMessage]) -> Turn:
    thread = SimpleNamespace(messages=messages, summary="", of_turn=lambda _: messages)
    return cast("Turn", SimpleNamespace(id="turn", thread=thread))


def said_in(text: str, terms: Terms, *, calls: bool, pieces: bool) -> Draft:
    """What one answer comes to; broken off for a fault, it is asked for once more and gives one last message."""
    draft = Draft(terms.contract("", (), "", again=False), "")
    for piece in text if pieces else [text]:
        if not draft.fault:
            draft.take(piece)
    if not draft.fault:
        draft.end(goes_on=calls)
    if draft.fault:
        draft = Draft(terms.contract(draft.said, (), "", again=True), draft.said)
        draft.take(f"{MARK}\nIn short.")
        draft.end(goes_on=calls)
    return draft


@given(asides=st.lists(TEXTS, max_size=5), final=TEXTS, pieces=st.booleans(), most=st.integers(1, 3))
def test_a_turn_never_says_more_messages_than_it_may_and_always_its_answer(
    asides: list[str], final: str, pieces: bool, most: int
) -> None:
    messages: list[AnyMessage] = [HumanMessage("owls?")]
    terms = Terms(turn_of(messages), Limits(messages_per_reply=most))
    for aside in asides:
        said = said_in(aside, terms, calls=True, pieces=pieces).said
        messages.append(AIMessage(said, tool_calls=[CALL]))
    answer = said_in(final, terms, calls=False, pieces=pieces)
    messages.append(AIMessage(answer.said))
    spoken = [message.text for message in messages[1:] if message.text]
    assert sum(text.count(BREAK) + 1 for text in spoken) <= most
    assert answer.fault == ""
    assert bool(answer.said.strip()) == bool(final.replace(MARK, "").strip())


def test_words_of_the_first_answer_do_not_wait_while_there_is_room_for_more() -> None:
    terms = Terms(turn_of([HumanMessage("owls?"), AIMessage("Let me look.", tool_calls=[CALL])]), Limits())
    draft = Draft(terms.contract("", (), "", again=False), "")
    assert draft.take("Owls hunt at night.") == "Owls hunt at "
    assert draft.end() == "night."
