"""A rough count of tokens, for calls whose gateway did not report any."""

import re

# Scripts without spaces between words take about a token a character; letters about one for four.
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\ud7af\uf900-\ufaff\uff00-\uffef\U0001f000-\U0003ffff]")
_LETTERS_PER_TOKEN = 4


def estimate(written: str) -> int:
    """About how many tokens this text is, rounded up."""
    wide = 0 if written.isascii() else len(_WIDE.findall(written))
    return wide + -(-(len(written) - wide) // _LETTERS_PER_TOKEN)
