"""Prompts: one file a version, kept for ever, so that an agent goes back by naming an older one (Q3)."""

import hashlib
from pathlib import Path

from lanekeeper.limits import Limits
from lanekeeper.types import Prompt


def read_prompt(agent_file: str, version: str, limits: Limits) -> Prompt:
    """The prompt ``prompts/<version>.md`` beside an agent's module (pass ``__file__``).

    Raises:
        ValueError: it passes the byte budget of a system prompt.
    """
    content = Path(agent_file).with_name("prompts").joinpath(f"{version}.md").read_bytes()
    if len(content) > limits.prompt_bytes:
        raise ValueError(f"the prompt {version} passes its budget of {limits.prompt_bytes} bytes")
    return Prompt(text=content.decode("utf-8").strip(), version=version, sha256=hashlib.sha256(content).hexdigest())
