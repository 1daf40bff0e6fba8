"""Named statements, kept as SQL in a file beside the room that runs them."""

import re
from pathlib import Path
from typing import LiteralString, cast

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


class Statements:
    """The statements of one ``.sql`` file, looked up by name: ``SQL["claim_lane"]``.

    A statement begins with a line ``-- name: its_name``. Comments above the first one speak of the file.
    """

    def __init__(self, path: Path) -> None:
        parts = _NAME.split(path.read_text(encoding="utf-8"))
        self._texts = dict(zip(parts[1::2], (text.strip() for text in parts[2::2]), strict=True))

    @classmethod
    def beside(cls, module_file: str, name: str = "store.sql") -> "Statements":
        """The file ``name`` in the folder of ``module_file`` (pass ``__file__``)."""
        return cls(Path(module_file).with_name(name))

    def __getitem__(self, name: str) -> LiteralString:
        return cast("LiteralString", self._texts[name])

    def __iter__(self):  # type: ignore[no-untyped-def]
        return iter(self._texts)
