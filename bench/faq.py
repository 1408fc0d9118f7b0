"""What a vetted answer costs over HTTP, beside a bare reply of the same server and beside one read of Redis.

All of it is measured in turns on one connection each, so that another load on the machine slows all alike: the ratios
are what compares between runs. A miss is counted in reads of Redis, as the server itself counts them.
"""

import argparse
import http.client
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any, Final
from urllib.parse import urlsplit

from redis import Redis

from tests.support.servers import running_valkey
from tests.support.stacks import running_stack

ITEMS: Final = 500
QUESTION: Final = "第1类物品如何领取？"
UNMATCHED: Final = "这个问题没有人回答过吗"
MISSES: Final = 200


@dataclass(frozen=True)
class Client:
    """One connection that is kept open."""

    connection: http.client.HTTPConnection

    def post(self, path: str, body: Any) -> dict[str, Any]:
        """The JSON of a reply with status 200."""
        return self._call("POST", path, json.dumps(body).encode())

    def get(self, path: str) -> dict[str, Any]:
        """The same for GET."""
        return self._call("GET", path, None)

    def _call(self, method: str, path: str, body: bytes | None) -> dict[str, Any]:
        self.connection.request(method, path, body, {"Content-Type": "application/json"})
        reply = self.connection.getresponse()
        text = reply.read()
        assert reply.status == 200, text
        found: dict[str, Any] = json.loads(text)
        return found


def add_arguments(chosen: Any) -> None:
    """Add the sub-command."""
    parser = chosen.add_parser("faq", help="what a vetted answer costs, beside a bare reply and one read of Redis")
    parser.add_argument("--turns", type=int, default=3_000)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print times and ratios."""
    # A Redis of its own, without users: the gateway's user may not see what is counted here.
    with running_valkey() as valkey, running_stack(environment={"RAGSPINE_REDIS_URL": valkey.url}) as stack:
        state = stack.state
        address = urlsplit(state["http_url"])
        client = Client(http.client.HTTPConnection(str(address.hostname), address.port, timeout=20))
        redis = Redis.from_url(valkey.url, socket_timeout=5)
        _fill(client, redis)
        _measure(client, redis, options.turns)
        _count_reads(client, redis)
        redis.close()
        client.connection.close()


def _fill(client: Client, redis: "Redis") -> None:
    items = [
        {"id": f"i{i}", "question": f"第{i}类物品如何领取", "answer": "到前台。", "owner": "bench", "state": "approved"}
        for i in range(ITEMS)
    ]
    client.post("/v1/faq", {"items": items})
    redis.set("bench", "x" * 700)  # about the size of one wording
    assert client.post("/v1/ask", {"question": QUESTION})["cache"]["faq_id"] == "i1"


def _measure(client: Client, redis: "Redis", turns: int) -> None:
    ask = {"question": QUESTION, "locale": "zh"}
    works: dict[str, Callable[[], object]] = {
        "vetted answer": lambda: client.post("/v1/ask", ask),
        "bare HTTP 200": lambda: client.get("/healthz"),
        "one Redis GET": lambda: redis.get("bench"),
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(turns + 200):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            if turn >= 200:  # warm by then
                times[name].append(time.perf_counter() - start)
    hit = median(times["vetted answer"])
    print(f"{turns:,} turns, {ITEMS} items, one connection each")
    for name, seconds in times.items():
        p95 = quantiles(seconds, n=20)[-1]
        ratio = f"a hit takes {hit / median(seconds):5.2f} times that" if name != "vetted answer" else ""
        print(f"  {name:14} half {median(seconds) * 1e6:8.0f} µs, 95 % {p95 * 1e6:8.0f} µs   {ratio}")


def _count_reads(client: Client, redis: "Redis") -> None:
    before = _reads(redis)
    for _ in range(MISSES):
        client.post("/v1/ask", {"question": UNMATCHED, "locale": "zh"})
    print(f"  a miss reads Redis {(_reads(redis) - before) / MISSES:.2f} times")


def _reads(redis: "Redis") -> int:
    """Reads of copies that Redis has served; `hget` is the gateway looking after the copy, a few times a minute."""
    stats: dict[str, dict[str, int]] = redis.info("commandstats")
    return sum(stats.get(f"cmdstat_{name}", {"calls": 0})["calls"] for name in ("hmget", "get", "mget", "eval"))


if __name__ == "__main__":
    run(argparse.Namespace(turns=3_000))
