"""The model as a person chooses it, through the real functions (L2)."""

from itertools import pairwise
from typing import Any

import pytest

from tests.devkit.system import System, someone


async def turn(system: System, sub: str, text: str, **body: Any) -> dict[str, Any]:
    """One turn to its end; its finish metadata and where it took place."""
    await system.model({"text": f"Answer to {text}."}, sub=sub)
    accepted = await system.say(sub, text, **body)
    reply = await system.follow_to_the_end(sub, accepted)
    return {"conversation": accepted["conversationId"], **reply.chunks[-1]["messageMetadata"]}


async def test_a_message_names_its_model_and_the_conversation_keeps_it_l2(system: System) -> None:
    sub = someone("ana")
    first = await turn(system, sub, "one")
    here = {"conversationId": first["conversation"]}
    second = await turn(system, sub, "two", modelId="large", **here)
    third = await turn(system, sub, "three", **here)
    fourth = await turn(system, sub, "four", modelId="small", **here)
    assert [one["modelId"] for one in (first, second, third, fourth)] == ["small", "large", "large", "small"]

    requests = await system.requests(sub)
    assert [one["body"]["model"] for one in requests] == ["small", "large", "large", "small"]
    for earlier, later in pairwise(requests):
        kept = earlier["body"]["messages"][:-1]
        assert later["body"]["messages"][: len(kept)] == kept

    history = await system.transcript(sub, first["conversation"])
    assert [part["text"] for message in history for part in message["parts"] if part["type"] == "text"] == [
        text for said in ("one", "two", "three", "four") for text in (said, f"Answer to {said}.")
    ]
    assert [message["metadata"]["modelId"] for message in history if message["role"] == "assistant"] == [
        "small",
        "large",
        "large",
        "small",
    ]


@pytest.mark.parametrize(("model_id", "code"), [("vendor/secret-7", "invalid"), ("huge", "unknown_model")])
async def test_a_model_that_is_not_on_the_list_is_refused_and_nothing_is_kept_l2(
    system: System, model_id: str, code: str
) -> None:
    sub = someone("ana")
    answer = await system.post(sub, "hello", modelId=model_id)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, code)
    assert await system.requests(sub) == []


async def test_the_list_of_models_names_public_ids_and_names_only_l2(system: System) -> None:
    models = (await system.request(someone("ana"), "GET", "/models")).json()
    items = models["items"] if isinstance(models, dict) else models
    assert [set(item) for item in items] == [{"id", "name"}] * len(items)
    assert [item["id"] for item in items] == ["small", "large"]


async def test_what_is_judged_difficult_goes_to_the_large_model_and_only_that_turn_a2(system: System) -> None:
    sub = someone("ana")
    first = await turn(system, sub, "one")
    here = {"conversationId": first["conversation"]}
    await system.dev("decisions", {"sub": sub, "answers": {"difficulty": "hard"}})
    second = await turn(system, sub, "two", **here)
    third = await turn(system, sub, "three", **here)
    assert [one["modelId"] for one in (first, second, third)] == ["small", "large", "small"]
