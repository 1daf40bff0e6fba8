"""What logs and traces may carry: who, as a hash; what failed, as a place in the code. Never what anyone said."""

import hashlib
import traceback


def hashed(user_id: str) -> str:
    """A person's id as it may stand in a log: the same for the same person, and no way back by reading."""
    return hashlib.sha256(f"lanekeeper:{user_id}".encode()).hexdigest()[:16]


def place(error: BaseException) -> str:
    """What failed and where. The text of an error may quote a person, so it is left out."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    path = " > ".join(f"{frame.filename.rpartition('/')[2]}:{frame.lineno} {frame.name}" for frame in frames)
    return f"{type(error).__name__} at {path}" if path else type(error).__name__
