"""The client as LangChain's decision model: its kinds of question and answer, and nothing of its own."""

import json
from typing import Any

import pytest
from langchain_core.decisions import Box, Choice, Noul, NoulCriteria, Score
from langchain_core.messages import AIMessage, HumanMessage

from lanekeeper.limits import Limits
from lanekeeper.mainline.catalogue import DECISIONS
from lanekeeper.mainline.decision_model import MainlineDecisionModel
from lanekeeper.mainline.decisions import Decisions, Judges
from lanekeeper.mainline.errors import MainlineError
from tests.unit.mainline.gateway import SMALL, Book, Gateway, caller, client, gateway, refuse

QUESTIONS = {
    "urgent": Noul(instructions="Is it urgent?", criteria=NoulCriteria(true="today", false="some day")),
    "team": Choice(instructions="Which team?", criteria={"sales": "offers", "tech": "faults"}),
    "heat": Score(instructions="How angry?", criteria=["calm", "cross", "furious"]),
}
ANSWERS: list[dict[str, Any]] = [
    {"type": "predicate", "name": "urgent", "probability": 0.75},
    {
        "type": "choice",
        "name": "team",
        "choice": "tech",
        "confidence": 0.6,
        "probabilities": [{"value": "sales", "probability": 0.2}, {"value": "tech", "probability": 0.8}],
    },
    {
        "type": "score",
        "name": "heat",
        "score": 1.5,
        "confidence": 0.5,
        "probabilities": [
            {"label": "0", "value": 1, "probability": 0.5},
            {"label": "1", "value": 2, "probability": 0.5},
        ],
    },
]


async def classify(served: Gateway, book: Book, state: Any, questions: Any, answers: Any) -> Any:
    async with client(served.url) as mainline:
        model = MainlineDecisionModel(
            model="decisions",
            decisions=Decisions(mainline, Limits()),
            judges=Judges(endpoint=DECISIONS, chat=SMALL),
            caller=caller(book),
        )
        served.plays.append(refuse(200, {"answers": answers}))
        return await model.ainvoke({"state": state, "questions": questions})


async def test_every_kind_of_question_is_asked_and_answered_with_its_distribution():
    book = Book()
    async with gateway() as served:
        response = await classify(served, book, "It broke again", QUESTIONS, ANSWERS)
        sent = json.loads(served.bodies[0])
    assert response.nouls["urgent"].noul == 0.75
    assert (response.choices["team"].choice, response.choices["team"].confidence) == ("tech", 0.6)
    assert response.choices["team"].probabilities == {"sales": 0.2, "tech": 0.8}
    assert (response.scores["heat"].score, response.scores["heat"].probabilities) == (1.5, {1: 0.5, 2: 0.5})
    assert response.scores["heat"].legend == {0: "calm", 1: "cross", 2: "furious"}
    assert sent["questions"][0]["instructions"] == "Is it urgent? Yes means: today. No means: some day."
    assert sent["questions"][2]["levels"][2] == {"label": "2", "description": "furious"}
    assert len(book.settled_calls) == 1


async def test_messages_are_sent_with_their_roles():
    state = [HumanMessage("hi"), AIMessage("", tool_calls=[{"name": "look", "args": {"q": 1}, "id": "c1"}])]
    async with gateway() as served:
        await classify(served, Book(), state, {"urgent": QUESTIONS["urgent"]}, ANSWERS[:1])
        judged = json.loads(json.loads(served.bodies[0])["input"])
    assert judged[0] == {"role": "human", "content": "hi"}
    assert judged[1]["tool_calls"][0]["name"] == "look"


async def test_a_refused_question_fails_the_whole_and_a_place_in_a_picture_is_never_asked_for():
    async with gateway() as served:
        with pytest.raises(MainlineError) as caught:
            await classify(served, Book(), "x", QUESTIONS, [*ANSWERS[:2], {"type": "refusal", "name": "heat"}])
        assert caught.value.reason == "question_refused"
        with pytest.raises(ValueError, match="place in a picture"):
            await classify(served, Book(), "x", {"where": Box(instructions="Where?")}, [])
