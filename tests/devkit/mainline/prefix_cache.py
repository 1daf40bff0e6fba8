"""A prefix cache as providers keep one: blocks from the beginning of the prompt, for an hour after their last use."""

from itertools import islice

from tests.devkit.mainline.clock import Clock
from tests.devkit.mainline.prompt import BYTES_PER_TOKEN

BLOCK_TOKENS = 64
LIFETIME_S = 3600.0
MOST_BLOCKS = 200_000

_BLOCK_BYTES = BLOCK_TOKENS * BYTES_PER_TOKEN


class PrefixCache:
    """The blocks of earlier prompts, kept apart for each model.

    A block is known by everything before it too, so a change early in a prompt loses all that follows.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._used_at: dict[tuple[str, int], float] = {}

    def read(self, model: str, prompt: bytes) -> int:
        """How many tokens of the prompt are in the cache. Nothing is written."""
        now, known = self._clock.now(), 0
        for block in _blocks(model, prompt):
            used_at = self._used_at.get(block)
            if used_at is None or now - used_at >= LIFETIME_S:
                break
            known += BLOCK_TOKENS
        return known

    def write(self, model: str, prompt: bytes) -> None:
        """Keep the prompt's blocks; those that were kept already live on from now."""
        now = self._clock.now()
        for block in _blocks(model, prompt):
            self._used_at.pop(block, None)
            self._used_at[block] = now
        surplus = len(self._used_at) - MOST_BLOCKS
        if surplus > 0:
            # A dict keeps its order of writing, so its head is what was unused for longest.
            for block in list(islice(self._used_at, surplus)):
                del self._used_at[block]

    def clear(self) -> None:
        """Forget everything."""
        self._used_at.clear()


def _blocks(model: str, prompt: bytes) -> list[tuple[str, int]]:
    chain, blocks = 0, []
    for start in range(0, len(prompt) - _BLOCK_BYTES + 1, _BLOCK_BYTES):
        chain = hash((chain, prompt[start : start + _BLOCK_BYTES]))
        blocks.append((model, chain))
    return blocks
