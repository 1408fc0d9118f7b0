"""The embedded bus as a unit: nats-server with JetStream, on loopback, with the users and accounts of
`runtime.bus_users` and passwords that are new for each start.

The stores are in `cli.stack.stores`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cli.bus.configuration import ServerPlace, server_text
from cli.bus.home import new_secret, write_private
from cli.settings import environment_copy
from cli.stack import binaries
from cli.stack.layout import Layout
from cli.stack.net import free_port, tcp_greets
from cli.stack.units import Unit
from contracts.subjects import LOCAL_APP
from runtime.bus_users import SYSTEM_USER, USERS

LOOPBACK: Final = "127.0.0.1"
CLI_USER: Final = "cli"
NOT_OF_THE_EMBEDDED_BUS: Final = ("RAGSPINE_NATS_PASSWORD", "RAGSPINE_NATS_NKEY_FILE", "RAGSPINE_NATS_TLS_CA_FILE")
"""Variables that only a bus of the operator's own has; an empty one counts as not set."""
_NOT_OF_A_PROCESS: Final = (CLI_USER, SYSTEM_USER.name)
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
    cli_url: str | None = None
    """For the command line on the bus, where that is not `url`."""


def nats(layout: Layout) -> Server:
    """NATS with JetStream on a free loopback port; a password for each user, new for each start."""
    port, monitor = free_port(LOOPBACK), free_port(LOOPBACK)
    home, configuration = layout.bus, layout.run / "nats.conf"
    files = home.make_secrets((user.name for user in USERS), fresh=True)
    local = new_secret()
    write_private(home.secret_file(LOCAL_APP), local)
    home.write_accounts()
    accounts = str(home.accounts.relative_to(layout.run))
    place = ServerPlace(LOOPBACK, port, LOOPBACK, monitor, str(layout.nats), "4GB", accounts)
    write_private(configuration, server_text(place))

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
        url=f"nats://{LOCAL_APP}:{local}@{LOOPBACK}:{port}",
        environment={
            "RAGSPINE_NATS_URL": f"nats://{LOOPBACK}:{port}",
            **dict.fromkeys(NOT_OF_THE_EMBEDDED_BUS, ""),
        },
        own={name: _own(name, files[name], monitor) for name in files if name not in _NOT_OF_A_PROCESS},
        cli_url=f"nats://{CLI_USER}:{files[CLI_USER].read_text(encoding='utf-8')}@{LOOPBACK}:{port}",
    )


def _own(name: str, password_file: Path, monitor: int) -> dict[str, str]:
    credentials = {"RAGSPINE_NATS_USER": name, "RAGSPINE_NATS_PASSWORD_FILE": str(password_file)}
    if name in _ASK_THE_MONITOR:
        credentials["RAGSPINE_NATS_MONITOR_URL"] = f"http://{LOOPBACK}:{monitor}"
    return credentials


def plain_environment() -> dict[str, str]:
    """Our environment without what would configure Postgres' client side or our own Python."""
    return {k: v for k, v in environment_copy().items() if not k.startswith(("PG", "PYTHON", "RAGSPINE_"))}
