"""The embedded bus as a unit: nats-server with JetStream, on loopback and behind a random password.

The stores are in `cli.stack.stores`.
"""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cli.settings import environment_copy
from cli.stack import binaries
from cli.stack.layout import Layout
from cli.stack.net import free_port, tcp_greets
from cli.stack.units import Unit

LOOPBACK: Final = "127.0.0.1"
NATS_USER: Final = "ragspine"
_ASK_THE_MONITOR: Final = ("migrate", "gateway")
"""Who makes sure that the server syncs before anything durable is accepted."""


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
    loader_url: str | None = None
    """For the loads of the command line, where that is not `url`."""


def nats(layout: Layout) -> Server:
    """NATS with JetStream on a free loopback port, behind a password that is new for each start."""
    port, monitor_port, password = free_port(LOOPBACK), free_port(LOOPBACK), secrets.token_urlsafe(24)
    configuration, password_file = layout.run / "nats.conf", layout.run / "nats.password"
    write_private(configuration, _nats_configuration(layout, port, monitor_port, password))
    write_private(password_file, password)

    async def ready() -> str | None:
        return None if await tcp_greets(LOOPBACK, port, b"INFO ") else "does not greet"

    unit = Unit(
        name="nats",
        command=(str(binaries.nats_server()), "-c", str(configuration)),
        environment=plain_environment(),
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


def plain_environment() -> dict[str, str]:
    """Our environment without what would configure Postgres' client side or our own Python."""
    return {k: v for k, v in environment_copy().items() if not k.startswith(("PG", "PYTHON", "RAGSPINE_"))}


def write_private(path: Path, text: str) -> None:
    """Write a file that is its owner's alone from the first byte on."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(text, encoding="utf-8")
