"""Lists of the ways in which people ask for something: what tells a wish from a word that is only mentioned. Pure."""

import re
import tomllib
from functools import cache
from pathlib import Path

# Where an order may begin: "forget my address" is one, "I forget my address" is none.
_CLAUSE = r"(?:^|[.,;:!?()\n\"\u2026\u00a1\u00bf\u3001\u3002-]\s*)"


@cache
def wish_list(name: str) -> re.Pattern[str]:
    """The list of that name beside this module, for text in lower case without accents.

    By language, ``orders`` count at the beginning of a clause or after one of the words in ``leads``, and ``asks``
    anywhere.
    """
    ways: list[str] = []
    for words in tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8")).values():
        if words["orders"]:
            leads = "|".join(words["leads"].split())
            ways.append(rf"(?:{_CLAUSE}|\b(?:{leads})\s+)(?:{'|'.join(words['orders'])})")
        ways += words["asks"]
    return re.compile("|".join(f"(?:{way})" for way in ways))
