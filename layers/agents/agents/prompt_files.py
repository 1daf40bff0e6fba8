"""Prompts: one file a version, kept for ever, so that an agent goes back by naming an older one (Q3)."""

import hashlib
from pathlib import Path

from lanekeeper.limits import Limits
from lanekeeper.types import Prompt


class PromptFiles:
    """The versions of one agent's prompt: ``prompts/<version>.md`` beside its module, each read when first wanted.

    Args:
        agent_file: the module's ``__file__``.
        limits: the byte budget of a system prompt.
    """

    def __init__(self, agent_file: str, limits: Limits) -> None:
        self._folder = Path(agent_file).with_name("prompts")
        self._limits = limits
        self._read: dict[str, Prompt] = {}
        self.versions = tuple(sorted(path.stem for path in self._folder.glob("*.md")))

    @property
    def newest(self) -> Prompt:
        """The version that is in force unless a setting names another: the last by its name, which begins with a date.

        Raises:
            ValueError: it passes the byte budget.
        """
        return self._load(self.versions[-1])

    def find(self, version: str) -> Prompt | None:
        """That version, or None when there is none.

        Raises:
            ValueError: it passes the byte budget.
        """
        return self._load(version) if version in self.versions else None

    def _load(self, version: str) -> Prompt:
        if version not in self._read:
            content = self._folder.joinpath(f"{version}.md").read_bytes()
            if len(content) > self._limits.prompt_bytes:
                raise ValueError(f"the prompt {version} passes its budget of {self._limits.prompt_bytes} bytes")
            digest = hashlib.sha256(content).hexdigest()
            self._read[version] = Prompt(text=content.decode("utf-8").strip(), version=version, sha256=digest)
        return self._read[version]
