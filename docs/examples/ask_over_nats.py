"""Ask RAGSpine over NATS. Needs nats-py and nothing of RAGSpine.

NATS_URL='nats://USER:PASSWORD@HOST:PORT' python ask_over_nats.py "中国内地FY2024的REVENUE是多少"

The embedded stack has a new address with each start: `nats_url` of `./ragspine status --json`.
"""

import asyncio
import json
import os
import sys
import time

import nats


async def ask(url: str, question: str, *, app: str = "local", seconds: float = 10.0) -> dict:
    """The answer as a dict; raises `RuntimeError` with the error's code when the request was not answered."""
    bus = await nats.connect(url)
    try:
        reply = await bus.request(
            f"ragspine.v1.ask.{app}",
            json.dumps({"question": question}).encode(),
            timeout=seconds,
            headers={"Ragspine-Deadline": str(int((time.time() + seconds) * 1000))},
        )
    finally:
        await bus.close()
    message = json.loads(reply.data)
    if reply.headers and "Nats-Service-Error" in reply.headers:
        raise RuntimeError(f"{message['code']}: {message['message']}")
    return message


if __name__ == "__main__":
    result = asyncio.run(ask(os.environ["NATS_URL"], sys.argv[1]))
    print(result["answer"])
