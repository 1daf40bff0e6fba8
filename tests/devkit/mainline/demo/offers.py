"""The tools that a request offers, and the calls that the demo model would make of them."""

from typing import Any

from tests.devkit.mainline.demo.conversation import Conversation, Looked
from tests.devkit.mainline.scripts import Call

SEARCH = "web_search"
REMEMBER = "memory_remember"
FORGET = "memory_forget"
HANDOFF = "people_handoff"


def clock(conversation: Conversation) -> str:
    """The name of the tool that tells the time, whatever it is called; empty when there is none."""
    names = (name for name in conversation.tools if {"clock", "time", "date", "now"} & set(name.lower().split("_")))
    return next(names, "")


def call(conversation: Conversation, name: str, **wanted: Any) -> Call | None:
    """A call of a tool with what it should be told, when the tool is on offer.

    Only arguments that the tool takes are passed. Those that it insists on and that are not known are filled as its
    schema allows: null, the first of the allowed values, or an empty text.
    """
    if name not in conversation.tools:
        return None
    properties = conversation.tools[name].get("properties") or {}
    args = {key: value for key, value in wanted.items() if key in properties}
    for key in conversation.tools[name].get("required") or ():
        args.setdefault(key, _any_value(properties.get(key) or {}))
    return Call(name, args)


def clock_call(conversation: Conversation, zone: str) -> Call | None:
    """A look at the clock, here or in another time zone."""
    name = clock(conversation)
    properties = conversation.tools.get(name, {}).get("properties") or {}
    place = next((key for key in properties if key.lower() in ("timezone", "time_zone", "zone", "tz")), None)
    return call(conversation, name, **({place: zone} if place and zone else {}))


def pages(looked: Looked) -> list[dict[str, str]]:
    """What a search returned: title, url and snippet of each result that has a title or a text."""
    rows = looked.output.get("results") or looked.output.get("items") or []
    found = []
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict):
            snippet = row.get("snippet") or row.get("content") or row.get("text") or ""
            page = {"title": row.get("title") or "", "url": row.get("url") or "", "snippet": snippet}
            found.append({key: " ".join(str(value).split()) for key, value in page.items()})
    return [page for page in found if page["title"] or page["snippet"]]


def last_search(conversation: Conversation) -> Looked | None:
    """The latest search of the conversation that did not fail."""
    made = [*conversation.looked_before, *conversation.looked]
    return next((one for one in reversed(made) if one.name == SEARCH and not one.failure), None)


def _any_value(schema: dict[str, Any]) -> Any:
    kinds = schema.get("type") or [option.get("type") for option in schema.get("anyOf") or ()]
    if kinds == "null" or (isinstance(kinds, list) and "null" in kinds):
        return None
    if schema.get("enum"):
        return schema["enum"][0]
    return {"integer": 0, "number": 0, "boolean": False, "array": [], "object": {}}.get(str(kinds), "")
