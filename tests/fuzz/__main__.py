"""`python -m tests.fuzz`: the full form. Prints what came of it, and ends with 1 when a payload broke a claim.

A payload that broke one is kept below `.fuzz-failures`; `--replay FILE` tries it again.
"""

import argparse
import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.fuzz.contracts import Contracts
from tests.fuzz.logged import watched_log
from tests.fuzz.over_http import open_http
from tests.fuzz.parsers import Parsers
from tests.fuzz.payloads import Payload, Target
from tests.fuzz.running import FAILURES, MAX_GROWTH_BYTES, Report, attempt, run_all

SHARES = {"contracts": 0.70, "parsers": 0.12, "http": 0.18}
"""What takes longer gets fewer."""


@asynccontextmanager
async def targets() -> AsyncGenerator[dict[str, Target]]:
    """Everything that needs no server, by name."""
    async with open_http() as http:
        yield {target.name: target for target in (Contracts(), Parsers(), http)}


def main() -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--payloads", type=int, default=1_000_000, help="how many in all")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same payloads")
    parser.add_argument("--only", choices=sorted(SHARES), help="one target instead of all")
    parser.add_argument("--replay", type=Path, help="try one kept payload again")
    given = parser.parse_args()
    if given.replay:
        return asyncio.run(_replay(given.replay))
    return asyncio.run(_full(given.payloads, given.seed, given.only))


async def _full(payloads: int, seed: int, only: str | None) -> int:
    with watched_log() as lines:
        async with targets() as known:
            shares = {only: 1.0} if only else SHARES
            report = await run_all({known[name]: round(payloads * share) for name, share in shares.items()}, seed)
    print(report.text())
    print(f"{lines.count:,} log lines, {len(lines.leaks)} with something of a payload", *lines.leaks[:3], sep="\n")
    is_bounded = report.growth < MAX_GROWTH_BYTES
    return 0 if not report.broken and not lines.leaks and is_bounded else 1


async def _replay(path: Path) -> int:
    payload, report = Payload.load(path), Report(seed=0)
    async with targets() as known:
        outcome = await attempt(known[payload.target], payload, report, FAILURES)
    print(f"{payload.target}/{payload.part}: {outcome}", *report.failures, sep="\n")
    return 1 if report.broken else 0


if __name__ == "__main__":
    sys.exit(main())
