"""The demo classifier: word lists answer while nothing was ever scripted, and from then on silence is unremarkable."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.devkit.mainline.demo import DemoModel
from tests.devkit.mainline.demo.judging import LEANS, STANDS_ALONE, verdicts
from tests.devkit.mainline.listener import Listener
from tests.devkit.mainline.server import Mainline
from tests.unit.devkit.mainline.conftest import KEY, SEARCH_KEY, Gateway

QUESTIONS = [
    {"type": "predicate", "name": "refers_to_earlier", "instructions": "Does it?"},
    {"type": "predicate", "name": "risk", "instructions": "Is it?"},
    {
        "type": "choice",
        "name": "language",
        "instructions": "Which?",
        "choices": [{"value": tag} for tag in ("en", "es", "de", "fr", "it", "pt", "nl")],
    },
]


@pytest.fixture
async def stranger() -> AsyncIterator[Gateway]:
    """The fake as ``run.py`` starts it: with a classifier of its own."""
    mainline = Mainline(KEY, SEARCH_KEY, DemoModel(zero_delay=True), lambda seconds: None, judge=verdicts)
    listener = Listener(mainline, 0)
    await listener.open()
    headers = {"authorization": f"Bearer {KEY}"}
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{listener.port}", headers=headers, trust_env=False
    ) as client:
        yield Gateway(mainline, listener, client)
    listener.close()


async def judged(gateway: Gateway, said: str) -> list[Any]:
    body = {"model": "decisions", "input": said, "questions": QUESTIONS}
    response = await gateway.http.post("/v1/decisions", json=body)
    assert response.status_code == 200, response.text
    return [answer.get("choice", answer.get("probability")) for answer in response.json()["answers"]]


@pytest.mark.parametrize(
    ("said", "leans", "language"),
    [
        ("what is my sister called?", True, "en"),
        ("did I tell you where the party is?", True, "en"),
        ("no, my sister is called Anna", True, "en"),
        ("what time is it in Lisbon?", False, "en"),
        ("42", False, "en"),
        ("¿Cómo se llama mi hermana?", True, "es"),
        ("¿qué hora es en Lisboa?", False, "es"),
        ("Wie heißt meine Schwester?", True, "de"),
        ("Wie spät ist es in Lissabon?", False, "de"),
        ("Comment s'appelle ma sœur, tu te souviens ?", True, "fr"),
        ("Come si chiama mia sorella?", True, "it"),
        ("Como se chama a minha irmã? Não sei.", True, "pt"),
        ("Hoe heet mijn zus?", True, "nl"),
    ],
)
async def test_word_lists_answer_who_only_looks_around(
    stranger: Gateway, said: str, leans: bool, language: str
) -> None:
    assert await judged(stranger, said) == [LEANS if leans else STANDS_ALONE, 0.0, language]


async def test_once_a_verdict_was_scripted_all_that_is_unset_is_unremarkable(stranger: Gateway) -> None:
    said = "¿Cómo se llama mi hermana?"
    await stranger.control("decisions", sub="ana", answers={"risk": 1.0})
    assert await judged(stranger, said) == [0.0, 0.0, "en"]
    await stranger.control("decisions", answers={"language": "de"})
    assert await judged(stranger, said) == [0.0, 0.0, "de"]
    await stranger.control("reset")
    assert await judged(stranger, said) == [0.0, 0.0, "en"]


async def test_pictures_and_a_fake_without_a_classifier_stay_unremarkable(gateway: Gateway) -> None:
    assert await judged(gateway, "what is my sister called?") == [0.0, 0.0, "en"]
    assert verdicts([{"role": "user", "content": "my sister"}]) == {}
