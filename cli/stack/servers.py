"""The embedded servers as units: nats-server with JetStream, Postgres, Valkey. Private sockets and ports only.

NATS listens on loopback behind a random password; Postgres and Valkey listen on Unix sockets of the data directory.
"""

import json
import secrets
import signal
import struct
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import quote

from cli.console import CliError
from cli.settings import environment_copy
from cli.stack import binaries
from cli.stack.layout import Layout
from cli.stack.net import free_port, socket_answers, tcp_greets
from cli.stack.owner import Owner, home_owner, postgres_home, postgres_programs
from cli.stack.units import Unit

LOOPBACK: Final = "127.0.0.1"
NATS_USER: Final = "ragspine"
_ASK_THE_MONITOR: Final = ("migrate", "gateway")
"""Who makes sure that the server syncs before anything durable is accepted."""
POSTGRES_SUPERUSER: Final = "postgres"
VALKEY_MEMORY: Final = "64mb"
POSTGRES_SETTINGS: Final = (
    "listen_addresses=",
    "unix_socket_permissions=0700",
    "log_min_error_statement=panic",  # a statement in the log could hold a value
    "log_error_verbosity=terse",  # and so could the details of an error: "Key (…)=(…) already exists"
    "log_parameter_max_length=0",
    "log_parameter_max_length_on_error=0",
    "log_destination=stderr",
    "max_connections=100",
)


@dataclass(frozen=True, slots=True)
class Server:
    """A server of the stack: the unit that runs it, and what workers need to reach it."""

    unit: Unit
    url: str
    """For people and other commands; may hold a password."""
    environment: Mapping[str, str]
    """For every process of ours."""
    own: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, dict[str, str]])
    """Further ones for one process: by service, `migrate` for the migration. No other process gets them."""


def nats(layout: Layout) -> Server:
    """NATS with JetStream on a free loopback port, behind a password that is new for each start."""
    port, monitor_port, password = free_port(LOOPBACK), free_port(LOOPBACK), secrets.token_urlsafe(24)
    configuration, password_file = layout.run / "nats.conf", layout.run / "nats.password"
    _write_private(configuration, _nats_configuration(layout, port, monitor_port, password))
    _write_private(password_file, password)

    async def ready() -> str | None:
        return None if await tcp_greets(LOOPBACK, port, b"INFO ") else "does not greet"

    unit = Unit(
        name="nats",
        command=(str(binaries.nats_server()), "-c", str(configuration)),
        environment=_plain_environment(),
        log=layout.log("nats"),
        is_ready=ready,
    )
    return Server(
        unit,
        url=f"nats://{NATS_USER}:{password}@{LOOPBACK}:{port}",
        environment={
            "RAGSPINE_NATS_URL": f"nats://{LOOPBACK}:{port}",
            "RAGSPINE_NATS_USER": NATS_USER,
            "RAGSPINE_NATS_PASSWORD_FILE": str(password_file),
        },
        own={name: {"RAGSPINE_NATS_MONITOR_URL": f"http://{LOOPBACK}:{monitor_port}"} for name in _ASK_THE_MONITOR},
    )


def _nats_configuration(layout: Layout, port: int, monitor_port: int, password: str) -> str:
    def text(value: str) -> str:
        return json.dumps(value, ensure_ascii=False)  # which is a valid quoted string there, too

    return f"""\
server_name: ragspine
host: {LOOPBACK}
port: {port}
http: "{LOOPBACK}:{monitor_port}"
max_payload: 1MB
ping_interval: "5s"
ping_max: 2
jetstream {{
  store_dir: {text(str(layout.nats))}
  max_memory_store: 64MB
  max_file_store: 4GB
  sync_interval: always
}}
authorization {{ user: {NATS_USER}, password: {text(password)} }}
"""


def postgres(layout: Layout, owner: Owner | None) -> Server:
    """Postgres on a Unix socket; the database is made on first use."""
    home = postgres_home(layout.data_dir, owner)
    owner = home_owner(home, owner)
    programs = postgres_programs(owner)
    sockets = layout.run / "pg"
    startup = _startup_message()

    async def ready() -> str | None:
        answers = await socket_answers(sockets / ".s.PGSQL.5432", startup, b"R")
        return None if answers else "does not accept connections"

    options = [part for setting in POSTGRES_SETTINGS for part in ("-c", setting)]
    unit = Unit(
        name="postgres",
        command=(str(programs / "postgres"), "-D", str(home), "-k", str(sockets), *options),
        environment=_plain_environment(),
        log=layout.log("postgres"),
        is_ready=ready,
        owner=owner,
        stop_signal=signal.SIGINT,  # "fast": ends sessions, writes a checkpoint
        stop_seconds=60.0,
        death_signal=signal.SIGINT,
        before_start=lambda: make_database(programs, home, owner, layout.log("initdb")),
    )
    url = f"postgresql://{POSTGRES_SUPERUSER}@/postgres?host={quote(str(sockets))}"
    return Server(unit, url=url, environment={"RAGSPINE_POSTGRES_URL": url})


def make_database(programs: Path, home: Path, owner: Owner | None, log: Path) -> None:
    """Run `initdb` where there is no database yet; raises `CliError` when a database cannot be used."""
    marker = home / "PG_VERSION"
    if marker.exists():
        _check_version(marker, home)
        return
    command = [
        str(programs / "initdb"),
        f"--pgdata={home}",
        f"--username={POSTGRES_SUPERUSER}",
        "--auth=trust",  # the socket's folder is private
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--no-instructions",
    ]
    uid, gid = (owner.uid, owner.gid) if owner is not None else (None, None)
    with log.open("wb") as output:
        done = subprocess.run(  # noqa: S603 -- our own program with our own arguments
            command,
            env=_plain_environment(),
            stdout=output,
            stderr=output,
            cwd="/",
            check=False,
            user=uid,
            group=gid,
            extra_groups=None if owner is None else (),
        )
    if done.returncode != 0:
        raise CliError(f"Postgres could not make its database in {home}", hint=f"see {log}")


def _check_version(marker: Path, home: Path) -> None:
    found, ours = marker.read_text(encoding="ascii").strip(), binaries.postgres_version().split(".")[0]
    if found != ours:
        raise CliError(
            f"the database in {home} was made by Postgres {found}, this is Postgres {ours}",
            hint="dump it with the old release and load it with this one, or use another --data-dir",
        )


def valkey(layout: Layout) -> Server:
    """Valkey, a Redis-protocol server, on a Unix socket; it keeps derived data only and writes nothing to disk."""
    path = layout.run / "valkey.sock"

    async def ready() -> str | None:
        return None if await socket_answers(path, b"PING\r\n", b"+PONG") else "does not answer"

    command = [
        str(binaries.valkey_server()),
        *("--port", "0", "--unixsocket", str(path), "--unixsocketperm", "700"),
        *("--dir", str(layout.valkey), "--save", "", "--appendonly", "no", "--daemonize", "no"),
        *("--maxmemory", VALKEY_MEMORY, "--maxmemory-policy", "allkeys-lru"),
    ]
    unit = Unit(
        name="redis",
        command=tuple(command),
        environment=_plain_environment(),
        log=layout.log("redis"),
        is_ready=ready,
        before_start=lambda: path.unlink(missing_ok=True),
    )
    url = f"unix://{quote(str(path))}"
    return Server(unit, url=url, environment={"RAGSPINE_REDIS_URL": url})


def _startup_message() -> bytes:
    """A connection request of the Postgres protocol (version 3.0)."""
    body = struct.pack("!i", 196_608) + b"user\0postgres\0database\0postgres\0\0"
    return struct.pack("!i", len(body) + 4) + body


def _plain_environment() -> dict[str, str]:
    """Our environment without what would configure Postgres' client side or our own Python."""
    return {k: v for k, v in environment_copy().items() if not k.startswith(("PG", "PYTHON", "RAGSPINE_"))}


def _write_private(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(text, encoding="utf-8")
