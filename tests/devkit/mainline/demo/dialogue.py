"""The demo model's side of a conversation: look-ups first, where a message needs one, and then an answer to all."""

from tests.devkit.mainline.demo.conversation import Conversation
from tests.devkit.mainline.demo.part import Part
from tests.devkit.mainline.demo.phrases import say
from tests.devkit.mainline.demo.replies import reply
from tests.devkit.mainline.scripts import Call


def answer(conversation: Conversation) -> tuple[str, tuple[Call, ...]]:
    """What to say next, or which tools to call before saying anything."""
    replies = [reply(Part(conversation, text)) for text in conversation.pending]
    calls: list[Call] = []
    for wanted in replies:
        if isinstance(wanted, Call) and wanted not in calls:
            calls.append(wanted)
    if calls:
        return "", tuple(calls)
    texts = dict.fromkeys(text for text in replies if isinstance(text, str)) or [say("greeting_again", "en", name="")]
    return _still_to_say("\n\n".join(texts), conversation.said), ()


def _still_to_say(text: str, said: str) -> str:
    """What follows on what was shown. When nothing does, the whole again: who reads it skips what was shown."""
    return text.removeprefix(said) or text
