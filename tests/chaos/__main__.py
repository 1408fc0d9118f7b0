"""`python -m tests.chaos`: the full form. Exit code 1 when an ask was lost or altered, or the control lost none."""

import argparse
import asyncio
import random
import sys

from tests.chaos.control import run_control
from tests.chaos.killing import Kind
from tests.chaos.run import run

CONTROL_SHARE = 5
"""The control gets a fifth of the asks and of the kills: it loses early."""


def main() -> int:
    """Run the product and then the control."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--asks", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=50, help="kills of workers")
    parser.add_argument("--brokers", type=int, default=20, help="kills of the broker")
    parser.add_argument("--databases", type=int, default=15, help="immediate restarts of Postgres")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="which process dies when")
    options = parser.parse_args()
    _say(f"seed {options.seed}")
    wanted = {Kind.WORKER: options.workers, Kind.BROKER: options.brokers, Kind.DATABASE: options.databases}
    report = run(options.asks, wanted, options.seed)
    _say(str(report))
    fewer = {kind: -(-number // CONTROL_SHARE) for kind, number in wanted.items()}
    loss = asyncio.run(run_control(options.asks // CONTROL_SHARE, fewer, options.seed))
    _say(f"control: {loss.lost:,} of {loss.accepted:,} lost, kills: {dict(loss.kills)}")
    return 0 if report.accepted == options.asks == report.answers and not report.wrong and loss.lost else 1


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
