"""``migrations/schema.sql``: what all migrations add up to, as pg_dump says it. ``python3 run.py schema`` writes it."""

import re

from tests.devkit.migrations import MIGRATIONS, migrate
from tests.devkit.postgres import Postgres

SCHEMA = MIGRATIONS / "schema.sql"

# The dev kit's stand-ins are no part of the product.
_STAND_INS = ("aws_commons", "aws_lambda", "cron", "local_lambda")
_NOTE = "-- The sum of the migrations, written by `python3 run.py schema`. Not to be edited.\n\n"


def dump(server: Postgres, database: str) -> str:
    """The schema of a migrated database, without what differs from one dump or server to the next."""
    excluded = [f"--exclude-schema={name}" for name in _STAND_INS]
    text = server.dump_schema(database, *excluded)
    text = re.sub(r"^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\(un)?restrict .*)$", "", text, flags=re.MULTILINE)
    # pg_dump names a policy's roles in the order in which the server happens to keep them.
    text = re.sub(r"(?<= TO )(\w+(?:, \w+)+)(?= (?:USING|WITH CHECK) )", _in_order, text)
    return _NOTE + re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _in_order(names: re.Match[str]) -> str:
    return ", ".join(sorted(names[0].split(", ")))


def main() -> None:
    """Write the file."""
    with Postgres() as server:
        server.create_database("lanekeeper")
        server.prepare_database("lanekeeper", migrate)
        SCHEMA.write_text(dump(server, "lanekeeper"), encoding="utf-8")


if __name__ == "__main__":
    main()
