"""``python3 run.py calibrate [--base-url URL] [--limit N] [--json FILE]``."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from lanekeeper.decisions import words
from lanekeeper.decisions.questions import questions_about
from lanekeeper.ledger.call import Call
from lanekeeper.ledger.rules import Usage
from lanekeeper.limits import Limits
from lanekeeper.mainline.catalogue import DEFAULT
from lanekeeper.mainline.client import Caller, Mainline
from lanekeeper.mainline.decisions import Decisions, Judges
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.questions import Answers
from lanekeeper.settings import Secret
from tests.devkit.calibrate.labelled import Sample, labelled
from tests.devkit.calibrate.report import CALIBRATED, UNCALIBRATED, report, written

SIDE_BY_SIDE = 8
LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class Bill:
    """Adds up what the calls use."""

    def __init__(self) -> None:
        self.calls = 0
        self.tokens = 0
        self.micros = 0

    async def opened(self, call: Call) -> None:
        """Count a call."""
        self.calls += 1

    async def settled(self, call: Call, usage: Usage, *, failed: bool) -> None:
        """Add what it used."""
        self.tokens += usage.input_tokens + usage.output_tokens
        self.micros += usage.micros or 0


async def ask_gateway(
    base_url: str, key: str, samples: Sequence[Sample]
) -> tuple[list[tuple[Sample, Answers]], set[str], Bill]:
    """Every message's answers, one call a message as in a turn; who gave them, and what it cost."""
    limits = Limits(decisions_s=20)
    mainline = Mainline(base_url, Secret(key), limits)
    decisions, bill, sources = Decisions(mainline, limits), Bill(), set[str]()
    judges = Judges(endpoint=DEFAULT.decisions, chat=DEFAULT.choose())
    caller = Caller(user_id="calibration", meter=bill, feature="decisions")
    turnstile = asyncio.Semaphore(SIDE_BY_SIDE)

    async def one(sample: Sample) -> tuple[Sample, Answers] | None:
        async with turnstile:
            try:
                asked = questions_about("text")
                answers, source = await decisions.ask(sample.text, asked, judges, caller, limits.decisions_s)
            except MainlineError as error:
                print(f"no answer: {error}", file=sys.stderr)
                return None
            sources.add(source)
            return sample, answers

    try:
        judged = await asyncio.gather(*(one(sample) for sample in samples))
    finally:
        await mainline.close()
    return [found for found in judged if found is not None], sources, bill


def main(arguments: Sequence[str] | None = None, environment: Mapping[str, str] = os.environ) -> int:
    """Make the report and print it."""
    parser = argparse.ArgumentParser(prog="python3 run.py calibrate", description=sys.modules[__package__].__doc__)
    parser.add_argument("--base-url", default=environment.get("MAINLINE_BASE_URL"), help="the gateway, up to /v1")
    parser.add_argument("--limit", type=int, help="so many messages only")
    parser.add_argument("--json", type=Path, help="write the whole report, every threshold, to this file")
    options = parser.parse_args(arguments)
    samples = labelled()[: options.limit]
    key = environment.get("MAINLINE_AI_KEY")
    by_words = [(sample, words.judge(sample.text)) for sample in samples]
    reports = [report(by_words, judge="word lists", verdict=UNCALIBRATED)]
    if options.base_url and key:
        judged, sources, bill = asyncio.run(ask_gateway(options.base_url, key, samples))
        # A gateway on this machine answers as it was told to: its scores prove nothing.
        scripted = urlsplit(options.base_url).hostname in LOOPBACK
        reports.append(
            report(
                judged,
                judge=f"{options.base_url} ({', '.join(sorted(sources)) or 'nobody'})",
                verdict=UNCALIBRATED if scripted or not judged else CALIBRATED,
                unanswered=len(samples) - len(judged),
            )
        )
        print(f"{bill.calls} calls, {bill.tokens} tokens, {bill.micros} micros as far as told", file=sys.stderr)
    print("\n\n".join(written(found) for found in reports))
    if reports[-1]["verdict"] == UNCALIBRATED:
        print(f"\nThe thresholds are {UNCALIBRATED}: set MAINLINE_BASE_URL and MAINLINE_AI_KEY to ask a real gateway.")
    if options.json:
        options.json.write_text(json.dumps(reports, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
