"""What the demo model says to a picture or a file: that it came, and how it begins. It can look at neither."""

import re
from typing import Any

from tests.devkit.mainline.demo.conversation import last_answer
from tests.devkit.mainline.demo.language import detect

_FILE = re.compile(r'\A<file name="([^"]*)"[^>]*>\n(.*)\n</file>\Z', re.DOTALL)
_BEGINNING = 120

_LINES = {
    "en": (
        "Your picture has come through the checks. I am a scripted demo model and cannot look at it; a real model can.",
        (
            "Your file {name} has come through the checks. It begins: “{beginning}” I am a scripted demo model and "
            "cannot do more with it; a real model can."
        ),
    ),
    "es": (
        "Tu imagen ha pasado las comprobaciones. Soy un modelo de demostración con guion y no puedo verla.",
        (
            "Tu archivo {name} ha pasado las comprobaciones. Empieza así: «{beginning}» Soy un modelo de demostración "
            "con guion y no puedo hacer más con él; uno real sí."
        ),
    ),
    "de": (
        (
            "Dein Bild ist durch die Prüfung. Ich bin ein Demomodell mit festem Drehbuch und kann es nicht ansehen; "
            "ein echtes Modell kann das."
        ),
        (
            "Deine Datei {name} ist durch die Prüfung. Sie beginnt so: „{beginning}“ Ich bin ein Demomodell mit festem "
            "Drehbuch und kann nicht mehr damit anfangen; ein echtes Modell kann das."
        ),
    ),
}


def answer(body: dict[str, Any]) -> str | None:
    """What to say when the message to answer brings something; None when it brings nothing."""
    messages = body["messages"]
    turn = messages[last_answer(messages) + 1 :]
    parts = [
        part
        for message in turn
        if message["role"] == "user" and isinstance(message.get("content"), list)
        for part in message["content"]
    ]
    files = [found for part in parts if (found := _FILE.match(part.get("text") or ""))]
    pictures = [part for part in parts if part.get("type") == "image_url"]
    if not (files or pictures):
        return None
    words = " ".join(part["text"] for part in parts if part.get("text") and not _FILE.match(part["text"]))
    of_picture, of_file = _LINES[detect(words, "en")]
    said = [of_picture] if pictures else []
    for name, text in (found.groups() for found in files):
        beginning = " ".join(text.split())
        said.append(
            of_file.format(name=name, beginning=beginning[:_BEGINNING] + ("…" if len(beginning) > _BEGINNING else ""))
        )
    return "\n\n".join(said)
