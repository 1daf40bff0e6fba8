"""How many tokens a request is, about: for calls whose gateway reported none, and for what is yet to be sent.

Too high is the safe side: a request that is larger than its model's window is refused, one that is summarised early
is not. Every count a provider reports corrects the next estimate.
"""

import math
import re

# An image costs what its provider makes of its pixels, whatever its file weighs: this is the most for one in detail.
IMAGE_TOKENS = 1600

# Tokens a character, by kind: measured with public tokenizers, of which the older ones need the most. Scripts without
# spaces between words, emoji, the scripts from Hebrew to Sinhala, all other letters, and ASCII.
_WIDE = re.compile(
    r"[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_EMOJI = re.compile(r"[\u2600-\u27bf\U0001f000-\U0001faff]")
_DENSE = re.compile(r"[\u0590-\u0dff]")
_ASCII = re.compile(r"[\x00-\x7f]+")
_PER_WIDE, _PER_EMOJI, _PER_DENSE, _PER_OTHER, _PER_ASCII = 1.4, 3.0, 1.1, 0.55, 0.25

# In a request as it is written, where quotes within a text are escaped and so no text looks like this.
_IMAGE = re.compile(r'"image_url":\{')
_DATA = re.compile(r"data:[\w.+/-]{3,80};base64,[A-Za-z0-9+/=_-]{64,}")

# How far an estimate may be off by nature. Beyond that the report is about something else.
_LEAST, _MOST = 0.5, 3.0
_WEIGHT = 0.3


def estimate(written: str) -> int:
    """About how many tokens this text is, rounded up. Images in it count the same, whatever their size.

    Args:
        written: plain text, or JSON as it is sent, tool definitions and all.
    """
    images = 0
    if '"image_url":{' in written or ";base64," in written:
        # In one pass: a request may hold many megabytes of pictures.
        written, inlined = _DATA.subn("", written)
        images = max(len(_IMAGE.findall(written)), inlined)
    return images * IMAGE_TOKENS + _of_text(written)


def believable(reported: int, estimated: int) -> float:
    """The factor by which estimates are to be corrected, after a provider's own count of the same text."""
    return min(_MOST, max(_LEAST, reported / estimated)) if reported > 0 and estimated > 0 else 1.0


class Corrections:
    """What providers' counts have taught about estimates, for each model. Lives as long as its process."""

    def __init__(self) -> None:
        self._factors: dict[str, float] = {}

    def corrected(self, model_id: str, estimated: int) -> int:
        """The estimate, by what this model's calls came to so far."""
        return round(estimated * self._factors.get(model_id, 1.0))

    def learn(self, model_id: str, expected: int, reported: int) -> None:
        """Take in what a provider counted where so much was expected. The last calls count most."""
        known = self._factors.get(model_id)
        factor = believable(reported, round(expected / (known or 1.0)))
        self._factors[model_id] = factor if known is None else known + _WEIGHT * (factor - known)


def _of_text(written: str) -> int:
    if written.isascii():
        return -(-len(written) // 4)
    wide, emoji, dense = (len(kind.findall(written)) for kind in (_WIDE, _EMOJI, _DENSE))
    ascii_ = sum(map(len, _ASCII.findall(written)))
    other = len(written) - wide - emoji - dense - ascii_
    return math.ceil(
        wide * _PER_WIDE + emoji * _PER_EMOJI + dense * _PER_DENSE + other * _PER_OTHER + ascii_ * _PER_ASCII
    )
