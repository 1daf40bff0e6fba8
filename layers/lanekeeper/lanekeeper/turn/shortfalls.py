"""How an answer can fall short though its model did answer, and what is done about it: asked again once, then a line.

Text that went out stands in every case. The model is told what was wrong and goes on from there; where that does not
help either, code ends the answer with a fixed line as a message of its own (E5, E6).
"""

from dataclasses import dataclass

from lanekeeper.lines import REFUSED_LINE, TOO_LONG_LINE, WITHHELD_LINE, Line
from lanekeeper.mainline.reply import Ending, FinishReason
from lanekeeper.replies.contract import REASONS

NOT_SENT = "Your draft went on with something that was not sent. {reason} Leave it out and do not mention it."
FINISH = "Your draft came to the limit of its length. Bring it to an end within a few sentences."


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortfall:
    """What was wrong with an answer.

    Attributes:
        kind: a short word for operators, under which it is counted.
        hint: what the model is told when it is asked once more; empty for nothing.
        line: what code says when that is of no use.
        finish_reason: why the answer ends then.
        may_improve: whether there is a point in asking once more.
        says_failed: whether the line says that something did not work.
    """

    kind: str
    hint: str
    line: Line
    finish_reason: FinishReason
    may_improve: bool = True
    says_failed: bool = True


def shortfall(fault: str, ending: Ending | None, said: str) -> Shortfall | None:
    """What is wrong with an answer, if anything.

    Args:
        fault: what the contract found in it, or empty.
        ending: how the model ended; None when it was broken off for the fault.
        said: what went out of it.
    """
    if fault:
        hint = NOT_SENT.format(reason=REASONS[fault])
        return Shortfall(kind=f"contract_{fault}", hint=hint, line=WITHHELD_LINE, finish_reason="other")
    if ending is None or ending.calls:
        return None
    if ending.finish_reason == "content_filter":
        # A provider that has seen enough of an answer does not think better of it half-way.
        return Shortfall(
            kind="content_filter", hint="", line=REFUSED_LINE, finish_reason="content_filter", may_improve=not said
        )
    if ending.finish_reason == "length" and said:
        return Shortfall(kind="length", hint=FINISH, line=TOO_LONG_LINE, finish_reason="length", says_failed=False)
    return None
