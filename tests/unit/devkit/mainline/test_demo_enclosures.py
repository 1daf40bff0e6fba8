"""The demo model and files: a newcomer who attaches one learns that it came, and that a script cannot look at it."""

from typing import Any

import pytest

from tests.devkit.mainline.demo import DemoModel

PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
FILE = {"type": "text", "text": '<file name="a.txt" type="text/plain">\nMeet at noon\nin room 4.\n</file>'}


def answered(*content: Any, before: tuple[dict[str, Any], ...] = ()) -> str:
    messages = [{"role": "system", "content": "You help."}, *before, {"role": "user", "content": list(content)}]
    return DemoModel(zero_delay=True)({"messages": messages}, "chat").text


def test_a_picture_and_a_file_are_named_and_the_script_says_what_it_is() -> None:
    said = answered(PICTURE, FILE, {"type": "text", "text": "What do you see?"})
    assert "scripted demo model" in said
    assert "“Meet at noon in room 4.”" in said
    assert answered(PICTURE).startswith("Your picture")


@pytest.mark.parametrize(
    ("words", "line"), [("Was siehst du auf dem Bild?", "Dein Bild"), ("¿Qué ves en la foto?", "Tu imagen")]
)
def test_it_answers_in_the_persons_language(words: str, line: str) -> None:
    assert answered(PICTURE, {"type": "text", "text": words}).startswith(line)


def test_an_earlier_picture_is_not_answered_again() -> None:
    before = ({"role": "user", "content": [PICTURE]}, {"role": "assistant", "content": "Your picture has come."})
    assert "picture" not in answered({"type": "text", "text": "thanks"}, before=before)
