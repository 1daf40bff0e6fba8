"""The kinds of timers, and when one that failed is tried again. Pure."""

# Save a conversation's facts once its person has been quiet (W3).
IDLE_SAVE = "idle_save"
# Shorten it before the provider's cache of it expires (C3).
IDLE_COMPACTION = "idle_compaction"
# Shorten it now: it has grown too long (C2, C4).
COMPACTION = "compaction"
# Look whether a batch job of the gateway's is done.
BATCH = "batch"
# Go on with the night's pass.
NIGHTLY = "nightly"


def put_off(attempts: int, first_s: float, longest_s: float) -> float:
    """Seconds until the next try: twice as many each time, up to a bound.

    Args:
        attempts: how many tries there were, this one included.
        first_s: seconds after the first of them.
        longest_s: seconds after any of them, at most.
    """
    return float(min(longest_s, first_s * 2 ** min(attempts - 1, 30)))
