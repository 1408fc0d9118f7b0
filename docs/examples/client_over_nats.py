"""Ask RAGSpine over NATS. Needs ragspine-contracts[nats].

NATS_URL=nats://127.0.0.1:4222 python client_over_nats.py "中国内地FY2024的REVENUE是多少"
"""

import asyncio
import os
import sys

from ragspine_contracts.client import NatsClient


async def ask(question: str) -> str:
    """The text of the answer."""
    async with NatsClient(os.environ["NATS_URL"], app="local") as client:
        answer = await client.ask(question, deadline_seconds=10)
    return answer.answer


if __name__ == "__main__":
    print(asyncio.run(ask(sys.argv[1])))
