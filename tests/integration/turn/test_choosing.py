"""Which model and which prompt a turn runs with: chosen, routed, or set by an operator (A2, B10, L2, N3, Q3)."""

import asyncio
import logging
from itertools import pairwise

import pytest

from lanekeeper.types import Prompt
from tests.integration.turn.conftest import Talk, kinds

LONG = "Please read this. " * 400
OLDER = Prompt("You helped.", "v0", "old-hash")


async def set_setting(talk: Talk, key: str, value: str) -> None:
    await talk.superuser.execute(
        "insert into settings (key, value, changed_by) values (%s, %s, 'test') "
        "on conflict (key) do update set value = excluded.value, changed_at = lanekeeper.now()",
        [key, value],
    )


async def models_asked(talk: Talk) -> list[str]:
    return [request["body"]["model"] for request in await talk.requests()]


async def test_a_hard_turn_goes_to_the_large_model_with_all_its_steps_and_the_next_comes_back_a2(talk: Talk) -> None:
    await talk.say("hello")
    await talk.run()
    hard = await talk.say(LONG)
    await talk.script({"calls": [{"name": "test_look", "args": {"query": "owls"}}]}, {"text": "Found."})
    await talk.run()
    await talk.say("thanks")
    await talk.run()
    assert await models_asked(talk) == ["small", "large", "large", "small"]
    assert (await talk.turn(hard["turn_id"]))["model_id"] == "large"
    finish = (await talk.chunks(hard["turn_id"]))[-1]
    assert finish["messageMetadata"]["modelId"] == "large"
    costs = await talk.rows("select model from costs where feature = 'chat' and turn_id = %s", hard["turn_id"])
    assert {row["model"] for row in costs} == {"large"}


@pytest.mark.parametrize("hard", ["long", "judged"])
async def test_what_joins_before_the_first_call_makes_a_turn_hard_as_well_a2(talk: Talk, hard: str) -> None:
    await talk.say("hello")
    if hard == "judged":
        await talk.judge()
        await talk.judge(difficulty="hard")
    await talk.say("and then?" if hard == "judged" else LONG)
    await talk.run()
    assert await models_asked(talk) == ["large"]


async def test_what_joins_after_the_first_call_changes_no_model_n3(talk: Talk) -> None:
    first = await talk.say("hello")
    await talk.script({"calls": [{"name": "test_look", "args": {"query": "slow"}}]}, {"text": "Found."})

    async def meanwhile() -> None:
        async def asked() -> bool:
            return bool(await talk.requests())

        await talk.until(asked)
        await talk.say(LONG)

    await asyncio.gather(talk.run(), meanwhile())
    assert [row["state"] for row in await talk.rows("select state from inbox order by id")] == ["done", "folded"]
    assert await models_asked(talk) == ["small", "small"]
    assert (await talk.turn(first["turn_id"]))["model_id"] == "small"


async def test_a_turn_that_is_judged_difficult_goes_to_the_large_model_a2(talk: Talk) -> None:
    await talk.say("hello")
    await talk.judge(difficulty="hard")
    await talk.run()
    await talk.say("thanks")
    await talk.run()
    assert await models_asked(talk) == ["large", "small"]


async def test_the_turn_after_a_failure_is_tried_with_the_large_model_a2(talk: Talk) -> None:
    await talk.say("hello")
    await talk.script({"error": 500}, {"error": 500})
    await talk.run()
    await talk.say("again please")
    await talk.script({"text": "Here it is."})
    await talk.run()
    await talk.say("thanks")
    await talk.run()
    assert await models_asked(talk) == ["small", "small", "large", "small"]


async def test_a_turn_whose_worker_died_has_its_way_from_what_is_written(talk: Talk) -> None:
    sent = await talk.say(LONG)
    await talk.superuser.execute("update turns set attempt = 1")
    await talk.run()
    assert await models_asked(talk) == ["large"]
    assert (await talk.turn(sent["turn_id"]))["model_id"] == "large"


async def test_switching_back_and_forth_leaves_the_history_untouched_and_names_public_ids_only_l2(talk: Talk) -> None:
    await set_setting(
        talk,
        "models",
        '{"models": [{"id": "quick", "gateway": "small"}, {"id": "deep", "gateway": "large"}], "hard": "deep"}',
    )
    engine = talk.new_engine(setting_cache_s=0)
    for text, model_id in (("one", None), ("two", "deep"), ("three", "quick")):
        sent = await talk.say(text)
        await talk.superuser.execute("update turns set model_id = %s where id = %s", [model_id, sent["turn_id"]])
        await talk.script({"text": f"Answer to {text}."})
        await talk.run(engine)
    requests = await talk.requests()
    assert [request["body"]["model"] for request in requests] == ["small", "large", "small"]
    for earlier, later in pairwise(requests):
        kept = earlier["body"]["messages"][:-1]
        assert later["body"]["messages"][: len(kept)] == kept
    assert [text for _, text in await talk.history()] == [
        "one",
        "Answer to one.",
        "two",
        "Answer to two.",
        "three",
        "Answer to three.",
    ]
    told = await talk.rows("select model_id from turns order by accepted_at")
    assert [row["model_id"] for row in told] == ["quick", "deep", "quick"]
    shown = str([await talk.chunks(one["turn_id"]) for one in talk.sent])
    assert "'modelId': 'deep'" in shown
    assert "'small'" not in shown
    assert "'large'" not in shown


async def test_a_chosen_model_stands_before_a_hard_case_l2(talk: Talk) -> None:
    await talk.say(LONG)
    await talk.superuser.execute("update conversations set model_id = 'small'")
    await talk.run()
    assert await models_asked(talk) == ["small"]


async def test_a_setting_is_believed_for_its_time_and_then_read_again_b10(talk: Talk) -> None:
    believing, looking = talk.new_engine(setting_cache_s=300), talk.new_engine(setting_cache_s=0)
    await talk.say("one")
    await talk.run(believing)
    await set_setting(talk, "models", '{"models": [{"id": "large"}]}')
    await talk.say("two")
    await talk.run(believing)
    await talk.say("three")
    await talk.run(looking)
    assert await models_asked(talk) == ["small", "small", "large"]


async def test_a_setting_switches_a_prompt_back_and_forth_without_a_deploy_q3(talk: Talk) -> None:
    engine = talk.new_engine(setting_cache_s=0, agent={"find_prompt": {"v0": OLDER}.get})
    for version in (None, "v0", "v1"):
        if version:
            await set_setting(talk, "prompts", f'{{"assistant": "{version}"}}')
        await talk.say("hello")
        await talk.run(engine)
    prompts = [request["body"]["messages"][0]["content"] for request in await talk.requests()]
    assert prompts == ["You help.", "You helped.", "You help."]
    turns = await talk.rows("select prompt_version, prompt_hash from turns order by accepted_at")
    assert [(turn["prompt_version"], turn["prompt_hash"]) for turn in turns] == [
        ("v1", "hash"),
        ("v0", "old-hash"),
        ("v1", "hash"),
    ]


@pytest.mark.parametrize("setting", ['{"assistant": "v7"}', '"nonsense"', '{"assistant": 1}', "[]"])
async def test_a_wrong_setting_leaves_the_newest_prompt_in_force_and_is_an_error_in_the_log_q3(
    talk: Talk, caplog: pytest.LogCaptureFixture, setting: str
) -> None:
    engine = talk.new_engine(setting_cache_s=0)
    await set_setting(talk, "prompts", setting)
    sent = await talk.say("hello")
    await talk.run(engine)
    assert (await talk.turn(sent["turn_id"]))["prompt_version"] == "v1"
    assert kinds(await talk.chunks(sent["turn_id"]))[-1] == "finish"
    assert any(record.levelno == logging.ERROR for record in caplog.records)
