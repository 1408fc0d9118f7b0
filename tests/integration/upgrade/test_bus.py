"""A store of the bus from before there were accounts: what the new version makes of it, and that no ask is lost."""

import json
import os
import re
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nats
import pytest
import redis

from runtime.ask_streams import provide_ask_streams
from runtime.events import event_stream
from tests.support.compose_volumes import ROOT, Volumes
from tests.support.servers import Nats, Server, accepts, free_port, running_valkey

pytestmark = [pytest.mark.connected, pytest.mark.timeout(60)]

EARLIER = Path(__file__).parent / "earlier/last"
PAGE = ROOT / "docs/operations/upgrade.md"
ASK = "ragspine.v1.asks.local.a1"
EVENT = "ragspine.v1.events.facts_changed"


@dataclass(frozen=True)
class Kept:
    """What the server's JetStream holds, by account and stream: messages."""

    streams: dict[str, dict[str, int]]

    @classmethod
    def of(cls, server: Nats) -> "Kept":
        with urllib.request.urlopen(f"{server.monitor_url}/jsz?accounts=true&streams=true", timeout=5) as reply:
            accounts = json.load(reply).get("account_details") or []
        return cls(
            {
                one["name"]: {s["name"]: s["state"]["messages"] for s in one.get("stream_detail") or []}
                for one in accounts
            }
        )


@contextmanager
def bus(volumes: Volumes, configuration: Path) -> Generator[Nats]:
    """The server of a version on the project's volumes: its configuration, with this machine's folders and ports."""
    port, monitor_port = free_port(), free_port()
    text = configuration.read_text().replace("0.0.0.0", "127.0.0.1").replace("4222", str(port))
    text = re.sub(r"^http: .*$", f'http: "127.0.0.1:{monitor_port}"', text, flags=re.MULTILINE)
    text = re.sub(r'store_dir: "?/data"?', f'store_dir: "{volumes.folder}/data/nats"', text)
    path = volumes.folder / "nats.conf"
    path.write_text(re.sub(r'include "?secrets/([a-z]+\.conf)"?', r'include "secrets/nats/\1"', text))
    command = [str(Path(sys.executable).with_name("nats-server")), "-c", str(path)]
    server = Server("nats", volumes.folder, command, lambda _: accepts(port))
    server.start()
    try:
        yield Nats(server, port, monitor_port)
    finally:
        server.stop()


OLD, NEW = EARLIER / "nats.conf", ROOT / "deploy/nats/nats.conf"


async def made_by_the_last(folder: Path, *, ask: bool) -> Volumes:
    """A project of the version before accounts, with an event in its store, and with an ask that somebody put there."""
    volumes = Volumes.made(folder / "volumes")
    volumes.init(EARLIER / "init.sh")
    with bus(volumes, OLD) as server:
        client = await nats.connect(server.url, user="migrate", password=volumes.read("migrate/nats"))
        stream = client.jetstream()
        await stream.add_stream(event_stream(1))
        await provide_ask_streams(stream, replicas=1, kept_seconds=60, ack_wait_seconds=30)
        await stream.publish(EVENT, b"{}")
        if ask:
            await stream.publish(ASK, b"{}")
        await client.close()
    return volumes


def provide_streams(volumes: Volumes, server: Nats, database: str) -> subprocess.CompletedProcess[str]:
    """The job of the new version, as compose runs it."""
    environment = {
        "PATH": os.environ["PATH"],
        "RAGSPINE_POSTGRES_URL": database,
        "RAGSPINE_NATS_URL": server.url,
        "RAGSPINE_NATS_MONITOR_URL": server.monitor_url,
        "RAGSPINE_NATS_USER": "migrate",
        "RAGSPINE_NATS_PASSWORD_FILE": str(volumes.folder / "secrets/migrate/nats"),
    }
    command = [sys.executable, "-m", "runtime.migrate"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False)


def steps_of_the_page() -> tuple[str, str]:
    """What the page tells to run in a container of `init`: on the way to the new version, and on the way back."""
    hand_over, back = re.findall(r"--entrypoint sh init \\\n    -c '([^']*)'", PAGE.read_text(encoding="utf-8"))
    return str(hand_over), str(back)


def gets_in(server: Nats, user: str, password: str) -> bool:
    """Whether the server answers somebody who shows this password, in its own words: PONG, or an error."""
    login = json.dumps({"user": user, "pass": password, "verbose": False})
    with socket.create_connection(("127.0.0.1", server.port), 5) as line, line.makefile("rb") as replies:
        replies.readline()  # INFO
        line.sendall(f"CONNECT {login}\r\nPING\r\n".encode())
        return replies.readline() == b"PONG\r\n"


async def test_a_store_without_asks_stays_behind_and_the_streams_are_made_anew(
    empty_database: str, tmp_path: Path
) -> None:
    volumes = await made_by_the_last(tmp_path, ask=False)

    volumes.init()
    with bus(volumes, NEW) as server:
        at_start = Kept.of(server)
        job = provide_streams(volumes, server, empty_database)
        afterwards = Kept.of(server)

    empty = {"RAGSPINE_EVENTS": 0, "RAGSPINE_ASKS": 0, "RAGSPINE_ANSWERS": 0}
    assert job.returncode == 0, job.stderr
    assert at_start.streams == {"RAGSPINE": {}}
    assert afterwards.streams == {"RAGSPINE": empty}
    assert (volumes.folder / "data/nats/jetstream/$G/streams/RAGSPINE_EVENTS").is_dir()


async def test_an_ask_of_before_stops_the_start_and_goes_on_as_the_page_says(
    empty_database: str, tmp_path: Path
) -> None:
    volumes = await made_by_the_last(tmp_path, ask=True)

    refused = volumes.try_script((ROOT / "deploy/compose/init.sh").read_text())
    step = volumes.try_script(steps_of_the_page()[0])
    volumes.init()
    with bus(volumes, NEW) as server:
        job = provide_streams(volumes, server, empty_database)
        kept = Kept.of(server)

    assert refused.returncode == 1
    assert str(PAGE.relative_to(ROOT)) in refused.stderr
    assert (step.returncode, step.stderr, job.returncode) == (0, "", 0)
    assert kept.streams == {"RAGSPINE": {"RAGSPINE_EVENTS": 1, "RAGSPINE_ASKS": 1, "RAGSPINE_ANSWERS": 0}}


async def test_the_step_never_replaces_what_the_new_version_has_kept(tmp_path: Path) -> None:
    volumes = await made_by_the_last(tmp_path, ask=False)
    (volumes.folder / "data/nats/jetstream/RAGSPINE").mkdir()

    step = volumes.try_script(steps_of_the_page()[0])

    assert step.returncode != 0
    assert sorted(p.name for p in (volumes.folder / "data/nats/jetstream").iterdir()) == ["$G", "RAGSPINE"]


async def test_back_before_accounts_workers_get_in_only_after_the_step_of_the_page(tmp_path: Path) -> None:
    volumes = await made_by_the_last(tmp_path, ask=False)
    volumes.init()

    entered: list[bool] = []
    for step in (None, steps_of_the_page()[1]):
        assert step is None or volumes.try_script(step).returncode == 0
        volumes.init(EARLIER / "init.sh")
        with bus(volumes, OLD) as server:
            entered += [gets_in(server, user, volumes.read(f"{user}/nats")) for user in ("gateway", "migrate")]

    assert entered == [False, False, True, True]


def test_back_before_accounts_redis_lets_the_gateway_and_its_check_in_as_before(tmp_path: Path) -> None:
    volumes = Volumes.made(tmp_path / "volumes")
    volumes.init(EARLIER / "init.sh")
    volumes.init()

    assert volumes.try_script(steps_of_the_page()[1]).returncode == 0
    volumes.init(EARLIER / "init.sh")

    users = str(volumes.folder / "secrets/redis/users.acl")
    with running_valkey(arguments=("--aclfile", users)) as server:
        gateway = redis.Redis(port=server.port, username="gateway", password=volumes.read("gateway/redis"))
        health = redis.Redis(port=server.port, username="health", password="-")
        assert (gateway.eval("return 1", 0), health.ping()) == (1, True)
        gateway.close()
        health.close()


async def test_what_the_new_version_kept_waits_while_the_older_one_runs(empty_database: str, tmp_path: Path) -> None:
    volumes = await made_by_the_last(tmp_path, ask=False)
    volumes.init()
    with bus(volumes, NEW) as server:
        assert provide_streams(volumes, server, empty_database).returncode == 0
        client = await nats.connect(
            server.url, user="gateway", password=volumes.read("gateway/nats"), inbox_prefix="_INBOX_gateway"
        )
        await client.jetstream().publish(ASK, b"{}")
        await client.close()

    assert volumes.try_script(steps_of_the_page()[1]).returncode == 0
    volumes.init(EARLIER / "init.sh")
    with bus(volumes, OLD) as server:
        meanwhile = Kept.of(server)
    volumes.init()
    with bus(volumes, NEW) as server:
        job = provide_streams(volumes, server, empty_database)
        again = Kept.of(server)

    assert "RAGSPINE" not in meanwhile.streams
    assert job.returncode == 0, job.stderr
    assert again.streams["RAGSPINE"]["RAGSPINE_ASKS"] == 1
