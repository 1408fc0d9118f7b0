"""Hand in a durable ask over HTTP and fetch its answer, now or later. Needs ragspine-contracts[http].

RAGSPINE_URL=http://127.0.0.1:8321 python client_durable_over_http.py "中国内地FY2024的REVENUE是多少" [ASK_ID]
"""

import asyncio
import os
import sys

from ragspine_contracts.client import ClientError, HttpClient


async def main(question: str, ask_id: str = "") -> int:
    """Hand in a question, or look for the answer to one that was handed in; returns the exit code."""
    async with HttpClient(os.environ["RAGSPINE_URL"]) as client:
        try:
            if not ask_id:
                ask_id = await client.hand_in(question)  # from here on it ends in exactly one answer: keep the id
            answer = await client.answer_to(ask_id, deadline_seconds=30)
        except ClientError as error:
            print(f"{error} (ask: {error.ask_id or 'not accepted'})", file=sys.stderr)
            return 1
    print(ask_id, answer.answer)
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
