"""``python3 run.py bench``: measure everything and write docs/bench.md."""

import argparse
import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.devkit.bench import cache, claims, compaction, imports, machine, month, peers, recall, relay, report
from tests.devkit.bench.figures import Figures
from tests.devkit.bench.serving import Serving
from tests.devkit.bench.targets import verdicts

ROOT = Path(__file__).resolve().parents[3]
MEASURES = ("imports", "claims", "relay", "cache", "compaction", "month", "serving")


def main() -> int:
    """Measure what was asked for."""
    if sys.argv[1:2] == ["recall"]:
        return recall.main(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="run.py bench", description=__doc__)
    parser.add_argument("--peers", action="store_true", help="first install the peers, each in .local/bench")
    parser.add_argument("--quick", action="store_true", help="a few minutes; written to .local/bench/quick.md")
    parser.add_argument("--only", help=f"some of {','.join(MEASURES)}")
    parser.add_argument("--report", type=Path, help="where to write instead")
    chosen = parser.parse_args()
    wanted = chosen.only.split(",") if chosen.only else list(MEASURES)
    said: list[str] = []

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    def note(line: str) -> None:
        said.append(line)
        say(line)

    for peer in peers.PEERS:
        if chosen.peers:
            peer.install(say)
        if not peer.ready:
            note(f"{peer.what}: not measured; `python3 run.py bench --peers` installs it where that is possible")
    peers.HOME.mkdir(parents=True, exist_ok=True)
    taken: Figures = {"machine": machine.machine(), "versions": machine.versions()}
    path = chosen.report or (peers.HOME / "quick.md" if chosen.quick or chosen.only else ROOT / "docs" / "bench.md")
    for name, measure in plan(say, quick=chosen.quick).items():
        if name in wanted:
            say(f"{name} ...")
            taken |= measure()
            # After each, so that a run that is broken off leaves what it has seen.
            (peers.HOME / "last.json").write_text(json.dumps(taken, indent=1), encoding="utf-8")
            report.write(path, taken, said, f"python3 run.py bench {shlex.join(sys.argv[1:])}".strip())
    for one in verdicts(taken):
        print(f"{'met   ' if one.met else 'missed'}  {one.target}: {one.seen}")
    print(path)
    return 0


def plan(say: Callable[[str], None], *, quick: bool) -> dict[str, Callable[[], dict[str, Any]]]:
    """What can be measured, in this order."""
    rounds, people, flooded = (1, 500, 1000) if quick else (3, 2000, 3000)
    return {
        "imports": lambda: {"imports": imports.measure(2 if quick else 7)},
        "claims": lambda: {"claims": claims.measure(rounds, people, flooded)},
        "relay": lambda: {"relay": relay.measure("20" if quick else "1,20,100", 2 if quick else 5)},
        "cache": lambda: {"cache": cache.measure()},
        "compaction": lambda: {"compaction": compaction.measure(say, quick=quick)},
        "month": lambda: {"month": month.measure(say, quick=quick)},
        "serving": lambda: Serving(say, quick=quick).measure(),
    }


if __name__ == "__main__":
    sys.exit(main())
