"""``python3 run.py soak``: many schedules, a few at a time, in one running system."""

import argparse
import asyncio
import random
import sys
import time

from tests.devkit.soak import trial
from tests.devkit.soak.schedule import Schedule
from tests.devkit.system import System


async def main(chosen: argparse.Namespace) -> int:
    """Run the schedules; the number that broke a promise."""
    began = time.monotonic()
    seeds = range(chosen.seed, chosen.seed + chosen.schedules)
    failed: list[int] = []
    # Lost machines hold their place until they are buried, so there are more workers than one group can lose.
    async with System.launched(trial.LIMITS, workers=chosen.workers, zero_delay=True) as system:
        for start in range(0, chosen.schedules, chosen.together):
            group = seeds[start : start + chosen.together]
            story = await trial.run(system, *(Schedule.of(seed) for seed in group))
            if story.broken or chosen.tell:
                print(story.text(), flush=True)
            failed += [group[0]] if story.broken else []
            print(f"up to seed {group[-1]}, {time.monotonic() - began:.0f} s", flush=True)
    for seed in failed:
        print(f"again: python3 run.py soak --schedules {chosen.together} --seed {seed} --tell")
    print(f"{chosen.schedules} schedules, {len(failed)} groups of {chosen.together} broke a promise")
    return len(failed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="run.py soak", description=__doc__)
    parser.add_argument("--schedules", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None, help="of the first schedule; the next ones count up")
    parser.add_argument("--together", type=int, default=3, help="schedules side by side")
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--tell", action="store_true", help="print the story of every schedule")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1_000_000)
        print(f"first seed {options.seed}")
    sys.exit(1 if asyncio.run(main(options)) else 0)
