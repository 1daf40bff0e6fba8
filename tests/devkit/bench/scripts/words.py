"""Text that does not compress better than people's, and the same on every run."""

import random
import string

_chance = random.Random(7)
_vocabulary = ["".join(_chance.choices(string.ascii_lowercase, k=_chance.randint(2, 9))) for _ in range(4000)]


def words(size: int) -> str:
    """So many characters of words."""
    text = ""
    while len(text) < size:
        text += _chance.choice(_vocabulary) + " "
    return text[:size]
