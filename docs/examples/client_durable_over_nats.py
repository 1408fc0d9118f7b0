"""Hand in a durable ask over the bus and wait for its answer. Needs ragspine-contracts[nats].

NATS_URL=nats://127.0.0.1:4222 python client_durable_over_nats.py order-66 "中国内地FY2024的REVENUE是多少"
"""

import asyncio
import os
import sys

from ragspine_contracts.client import ClientError, NatsClient


async def main(key: str, question: str) -> int:
    """Run it again with the same key: the ask is not made twice, and the answer is the same. Returns the exit code."""
    async with NatsClient(os.environ["NATS_URL"], app="local") as client:
        try:
            answer = await client.ask_durably(question, key=key, deadline_seconds=30)
        except ClientError as error:  # with an ask_id it was accepted and goes on: `answer_to(error.ask_id)`
            print(f"{error} (ask: {error.ask_id or 'not accepted'})", file=sys.stderr)
            return 1
    print(answer.answer)
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
