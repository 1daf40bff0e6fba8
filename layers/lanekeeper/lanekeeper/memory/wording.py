"""What a model is told of recalled notes: one plain line each, and by its label what to do with them (R3). Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from lanekeeper.memory.recall import Hit, Recalled
from lanekeeper.memory.rules import WEAK_SHARE, Label, label

# From here on every word of a message was found; the rest is how fractions are written down.
WHOLE_SHARE = 0.999

ONE_MAY_BE_MEANT = (
    "What they told you before may not be what they mean now. Where the answer depends on it, name it and ask."
)
SEVERAL_MAY_BE_MEANT = (
    "More than one thing that they told you before may be meant. Where the answer depends on which, name them and ask."
)
NOTHING_FITS_WELL = (
    "What they told you before has little in common with this message. Use it only where it plainly answers; where a "
    "detail is missing, ask for it and do not guess."
)
NOTHING_FITS = (
    "Nothing that was kept of what they told you before fits this message. If the answer needs it and this "
    "conversation does not hold it, ask for it; do not guess."
)
FOUND_LATE = "What they told you before was looked up for the message before this one. Use it only where it fits."


@dataclass(frozen=True, slots=True)
class Told:
    """What one search comes to for the model: the notes that fit, and a sentence on how to take them, or none."""

    hits: tuple[Hit, ...] = ()
    advice: str = ""


def told(found: Recalled, *, strong: bool = False) -> Told:
    """What to tell of a search.

    Args:
        found: what it found.
        strong: nobody knows whether the message leans on earlier talk: then only notes that hold each word of it
            count, and finding none means nothing (D2).
    """
    if strong:
        hits = tuple(hit for hit in found.hits if hit.share >= WHOLE_SHARE)
        return Told(hits, _advice(label([(hit.subject, hit.share) for hit in hits]), hits) if hits else "")
    # Where nothing fits well the message may only be long: what it has in common with a note is shown all the same.
    hits = tuple(hit for hit in found.hits if hit.share >= WEAK_SHARE) or found.hits
    return Told(hits, _advice(found.label, hits))


def lines(hits: Sequence[Hit], zone: tzinfo) -> str:
    """Notes as lines: the kind, the subject to put it right under, the day in the person's zone, and the words."""
    return "\n".join(_line(hit, zone) for hit in hits)


def _line(hit: Hit, zone: tzinfo) -> str:
    head = (hit.kind, hit.subject, f"{hit.saved_at.astimezone(zone):%Y-%m-%d}")
    return f"{', '.join(filter(None, head))}: {' '.join(hit.body.split())}"


def _advice(of: Label, hits: Sequence[Hit]) -> str:
    match of:
        case Label.AGREED:
            return ""
        case Label.AMBIGUOUS:
            return ONE_MAY_BE_MEANT if len(hits) == 1 else SEVERAL_MAY_BE_MEANT
        case Label.ASK:
            return NOTHING_FITS_WELL if hits else NOTHING_FITS
