"""`python -m tests.cases.run`: asks the cases black box, prints a table, exits 1 when one fails."""

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.cases.profiles import DEFAULT, profile_key
from tests.cases.running import Able, Verdict, judge_all, read_cases

OUTCOMES = ("passed", "failed", "skipped")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases; returns the exit code."""
    options = _options(arguments)
    cases = read_cases(options.files.split(",") if options.files else None)
    cases = [case for case in cases if not options.only or case["id"] in options.only.split(",")]
    doors = None
    if options.url:
        doors = (options.url, options.nats_url)
        cases = [case for case in cases if profile_key(case) == DEFAULT]
    with tempfile.TemporaryDirectory(prefix="ragspine-cases-") as folder:
        verdicts = asyncio.run(judge_all(cases, Able(model=doors is None), folder=Path(folder), doors=doors))
    if options.json:
        Path(options.json).write_text("".join(f"{v.as_json()}\n" for v in verdicts), encoding="utf-8")
    show(verdicts)
    return 1 if any(v.outcome == "failed" for v in verdicts) else 0


def show(verdicts: Sequence[Verdict]) -> None:
    """Counts per file, then every failure with its reasons, then why cases were skipped."""
    console = Console(highlight=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    for heading in ("file", *OUTCOMES):
        table.add_column(heading, justify="left" if heading == "file" else "right")
    for file in dict.fromkeys(sorted(v.file for v in verdicts)):
        counts = Counter(v.outcome for v in verdicts if v.file == file)
        table.add_row(file, *(str(counts[outcome]) for outcome in OUTCOMES))
    console.print(table)
    for verdict in verdicts:
        if verdict.outcome == "failed":
            console.print(f"\nFAILED {verdict.id}", markup=False)
            for reason in verdict.reasons:
                console.print(f"  {reason}", markup=False)
    skipped = Counter(reason for v in verdicts if v.outcome == "skipped" for reason in v.reasons)
    for reason, count in skipped.items():
        console.print(f"skipped {count}: {reason}", markup=False)
    totals = Counter(v.outcome for v in verdicts)
    console.print(", ".join(f"{totals[outcome]} {outcome}" for outcome in OUTCOMES), markup=False)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.cases.run", description=__doc__)
    parser.add_argument("--files", help="files without .jsonl, separated by commas: intent,clarify,gate")
    parser.add_argument("--only", help="case ids, separated by commas")
    parser.add_argument("--url", help="a running stack with the sample profile, instead of stacks of our own")
    parser.add_argument("--nats-url", help="its bus, as the user `cli`: `nats_cli_url` of its status")
    parser.add_argument("--json", metavar="FILE", help="write one verdict a line")
    options = parser.parse_args(arguments)
    if bool(options.url) != bool(options.nats_url):
        parser.error("--url and --nats-url belong together")
    return options


if __name__ == "__main__":
    sys.exit(main())
