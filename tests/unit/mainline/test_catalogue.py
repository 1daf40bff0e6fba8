import subprocess
import sys
from typing import Any

import pytest

from lanekeeper.mainline.catalogue import DEFAULT, Catalogue, Model, parse_catalogue


def test_a_message_chooses_its_model_before_its_conversation_and_the_setting_n3():
    assert DEFAULT.choose("large", "small").id == "large"
    assert DEFAULT.choose(None, "large").id == "large"
    assert DEFAULT.choose(None, None).id == "small"
    assert DEFAULT.choose(None, None, hard=True).id == "large"


def test_a_model_that_was_taken_off_the_list_breaks_no_conversation():
    assert DEFAULT.choose("gone", "also_gone").id == "small"


def test_the_catalogue_is_a_setting_l2():
    catalogue = parse_catalogue(
        {"models": [{"id": "quick", "name": "Quick", "gateway": "vendor/q-1"}, {"id": "deep"}], "hard": "deep"}
    )
    assert catalogue == Catalogue(
        models=(
            Model(id="quick", name="Quick", gateway_id="vendor/q-1"),
            Model(id="deep", name="deep", gateway_id="deep"),
        ),
        default="quick",
        hard="deep",
    )
    assert catalogue.models[0].public() == {"id": "quick", "name": "Quick"}


def test_how_a_model_answers_and_thinks_is_part_of_the_catalogue_n1_n8():
    [deep, plain] = parse_catalogue(
        {
            "models": [
                {"id": "deep", "answers": "json_schema", "reasoning": "shown", "reminded": True, "sees": False},
                {"id": "plain"},
            ]
        }
    ).models
    assert (deep.answers, deep.reasoning, deep.reminded, deep.sees) == ("json_schema", "shown", True, False)
    assert (plain.answers, plain.reasoning, plain.reminded, plain.sees) == ("tool", "hidden", False, True)


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"models": [{"id": "a", "answers": "xml"}]},
        {"models": [{"id": "a", "reasoning": "always"}]},
        {"models": []},
        {"models": [{"name": "x"}]},
        {"models": [{"id": "a"}, {"id": "a"}]},
        {"models": [{"id": "a"}], "default": "b"},
        {"models": ["a"]},
        [],
    ],
)
def test_a_setting_that_is_no_catalogue_is_refused(row: Any):
    with pytest.raises((ValueError, TypeError, KeyError, AttributeError, IndexError)):
        parse_catalogue(row)


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [
        ("lanekeeper.mainline.catalogue", ["httpx", "langchain_core", "pydantic"]),
        ("lanekeeper.mainline.client", ["langchain_core", "langsmith", "openai", "pydantic", "psycopg"]),
        ("agents", ["httpx", "langchain_core", "toolsets", "pydantic", "psycopg"]),
        ("lanekeeper.tools", ["langchain_core", "httpx", "psycopg"]),
    ],
)
def test_what_the_light_functions_import_stays_light(module: str, unwanted: list[str]):
    code = f"import sys, {module}; print([name for name in {unwanted} if name in sys.modules])"
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert told.stdout.strip() == "[]", told.stderr
