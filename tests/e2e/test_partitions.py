"""A network that loses everything between two parts: typed replies by the deadline, no digit of a fact, and it heals.

The workers are processes on real servers; the lines between some of them can be cut. What was connected then is never
told, so each side has to find out (tests/support/partitions.py).
"""

import time
from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from cli.bus.configuration import ServerPlace, server_text
from tests.e2e.asking import DEGRADED, LATE, RIGHT, UNAVAILABLE, Seen, ask, kind_of, load_sample, wait_until_right
from tests.integration.gateway.processes import Gateway, running_gateway, running_service
from tests.integration.runtime.worker_process import until
from tests.support.databases import Databases
from tests.support.partitions import Line, line_to
from tests.support.servers import Nats, running_nats, running_valkey

pytestmark = [pytest.mark.connected, pytest.mark.slow, pytest.mark.timeout(120)]

FACTS_BUS, GATEWAY_BUS = "between facts and the bus", "between the gateway and the bus"
FACTS_POSTGRES, GATEWAY_REDIS = "between facts and Postgres", "between the gateway and Redis"

DEADLINE_SECONDS = 2.0
HEAL_SECONDS = 30.0
"""The bus gives a connection up after three pings without an answer, each five seconds after the other."""
AT_ONCE_SECONDS = 1.0
PAUSE_SECONDS = 0.2
ASKS_MEANWHILE, ASKS_IN_A_ROW = 2, 4
VETTED = {"question": "食堂在哪", "answer": "三楼。", "owner": "facilities", "state": "approved"}


@dataclass
class Stand:
    """A gateway with workers behind it, and lines that can be cut."""

    gateway: Gateway
    lines: dict[str, Line]

    @property
    def url(self) -> str:
        return self.gateway.url


@pytest.fixture(scope="module")
def own_nats(tmp_path_factory: pytest.TempPathFactory) -> Generator[Nats]:
    """A bus that looks after its connections as the one of the product does."""
    place = ServerPlace("127.0.0.1", 0, "127.0.0.1", 0, "store", "1GB", "accounts.conf")
    path: Path = tmp_path_factory.mktemp("bus") / "pings.conf"
    path.write_text("\n".join(line for line in server_text(place).splitlines() if line.startswith("ping_")))
    with running_nats(arguments=("-c", str(path))) as server:
        yield server


@pytest.fixture(scope="module")
def stand(own_nats: Nats, databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Generator[Stand]:
    folder: Path = tmp_path_factory.mktemp("partitions")
    with databases.migrated() as dsn, ExitStack() as stack:
        valkey = stack.enter_context(running_valkey())
        targets: dict[str, int | Path] = {
            FACTS_BUS: own_nats.port,
            GATEWAY_BUS: own_nats.port,
            FACTS_POSTGRES: databases.postgres.socket_folder / ".s.PGSQL.5432",
            GATEWAY_REDIS: valkey.port,
        }
        lines = {way: stack.enter_context(line_to(target)) for way, target in targets.items()}
        at = {way: f"127.0.0.1:{line.port}" for way, line in lines.items()}
        for service in ("intent", "orchestrator"):
            stack.enter_context(running_service(service, own_nats.url, folder))
        facts = {"RAGSPINE_POSTGRES_URL": f"postgresql://postgres@{at[FACTS_POSTGRES]}{urlsplit(dsn).path}"}
        stack.enter_context(running_service("facts", f"nats://{at[FACTS_BUS]}", folder, **facts))
        stores = {"RAGSPINE_POSTGRES_URL": dsn, "RAGSPINE_REDIS_URL": f"redis://{at[GATEWAY_REDIS]}/0"}
        gateway = stack.enter_context(running_gateway(f"nats://{at[GATEWAY_BUS]}", folder, **stores))
        until(gateway.listens, gateway.process, seconds=60)
        until(lambda: '"facts":"ok"' in gateway.process.get("/readyz")[1], gateway.process, seconds=60)
        load_sample(gateway.url)
        yield Stand(gateway, lines)


@pytest.mark.parametrize(
    ("way", "expected"),
    [(FACTS_BUS, {DEGRADED}), (FACTS_POSTGRES, {DEGRADED}), (GATEWAY_BUS, {UNAVAILABLE, LATE})],
)
def test_a_part_beyond_a_network_that_loses_everything(
    stand: Stand, way: str, expected: set[str], record_property: Callable[[str, object], None]
) -> None:
    wait_until_right(stand.url)

    with stand.lines[way].partition():
        meanwhile = [ask(stand.url, seconds=DEADLINE_SECONDS) for _ in range(ASKS_MEANWHILE)]
    start = time.monotonic()
    afterwards = _until_right_in_a_row(stand.url)

    assert {_kind(seen) for seen in meanwhile} <= expected, meanwhile
    assert {_kind(seen) for seen in afterwards} <= expected | {RIGHT}, afterwards
    record_property("healed_seconds", round(time.monotonic() - start, 2))


def test_a_redis_beyond_a_network_that_loses_everything_costs_vetted_answers_only(stand: Stand) -> None:
    assert httpx.put(f"{stand.url}/v1/faq/canteen", json=VETTED, timeout=10).status_code == 200
    until(lambda: _vetted(stand).body["route"] == "faq", stand.gateway.process)

    with stand.lines[GATEWAY_REDIS].partition():
        asked, vetted = ask(stand.url, seconds=DEADLINE_SECONDS), _vetted(stand)

    until(lambda: _vetted(stand).body["route"] == "faq", stand.gateway.process)
    assert asked.is_right
    assert vetted.status == 200
    assert vetted.body["route"] != "faq"
    assert vetted.is_free_of_numbers
    assert max(asked.seconds, vetted.seconds) < AT_ONCE_SECONDS, (asked, vetted)


def _until_right_in_a_row(url: str) -> list[Seen]:
    """What is said until every ask is answered again: a single right answer may have found the good half of a queue."""
    start, seen = time.monotonic(), list[Seen]()
    while not (len(seen) >= ASKS_IN_A_ROW and all(reply.is_right for reply in seen[-ASKS_IN_A_ROW:])):
        assert time.monotonic() < start + HEAL_SECONDS, f"not healed: {seen[-1:]}"
        seen.append(ask(url, seconds=DEADLINE_SECONDS))
        time.sleep(0 if seen[-1].is_right else PAUSE_SECONDS)
    return seen


def _vetted(stand: Stand) -> Seen:
    return ask(stand.url, VETTED["question"], seconds=DEADLINE_SECONDS)


def _kind(seen: Seen) -> str:
    return kind_of(seen, DEADLINE_SECONDS)
