"""``people_handoff``: a person of the team is asked for, in words that promise nothing (S1, O7)."""

import dataclasses
from dataclasses import dataclass, field

from lanekeeper.mainline.reply import ToolCall
from lanekeeper.tools import Outcome, StaffDesk, Toolset
from tests.unit.tools.toys import CONTEXT, LIMITS
from toolsets import people


@dataclass
class Desk:
    reasons: list[str] = field(default_factory=list)

    def open(self, reason: str) -> None:
        self.reasons.append(reason)


async def asked(reason: str, desk: StaffDesk | None) -> Outcome:
    context = dataclasses.replace(CONTEXT, staff=desk)
    return await Toolset(people.tools(), LIMITS).call(ToolCall("c1", "people_handoff", {"reason": reason}), context)


async def test_the_team_is_told_why_and_the_model_what_to_say():
    desk = Desk()
    outcome = await asked("  Wants a refund, was refused twice. ", desk)
    assert desk.reasons == ["Wants a refund, was refused twice."]
    assert outcome.output["state"] == "asked"
    assert "Nobody is in the conversation yet" in outcome.content
    assert outcome.wrote


async def test_where_there_is_no_team_the_refusal_says_what_to_do():
    outcome = await asked("Wants a person.", None)
    assert outcome.output["error"] == {
        "message": "No person of the team can be asked for from here.",
        "retryable": False,
        "next_step": "Say so, and go on helping with what you can.",
    }
    assert not outcome.wrote


async def test_a_reason_is_needed_and_stays_short():
    desk = Desk()
    for reason in ("   ", "x" * 301):
        assert (await asked(reason, desk)).output["error"]["retryable"]
    assert desk.reasons == []
