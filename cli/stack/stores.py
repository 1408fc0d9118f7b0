"""The embedded stores as units: Postgres and Valkey, on Unix sockets of the data directory.

Each worker logs in as itself, with the rights that it has in any other deployment, and so does the command line; only
the migration and the operator's own tools are the superuser. The sockets lie in a folder of their user alone.
"""

import signal
import struct
import subprocess
from pathlib import Path
from typing import Final
from urllib.parse import quote

from cli.bus.home import write_private
from cli.console import CliError
from cli.stack import binaries
from cli.stack.layout import Layout
from cli.stack.net import socket_answers
from cli.stack.owner import Owner, home_owner, postgres_home, postgres_programs
from cli.stack.servers import Server, plain_environment
from cli.stack.units import Unit
from cli.stack.workers import FACTS, GATEWAY, MIGRATE, NARRATIVE
from runtime import redis_rights
from runtime.roles import OWNER, connections_needed

POSTGRES_SUPERUSER: Final = "postgres"
DATABASE: Final = "postgres"
POSTGRES_SETTINGS: Final = (
    "log_statement=none",  # a statement in the log could hold a value
    "log_min_error_statement=panic",
    "log_error_verbosity=terse",  # and so could the details of an error: "Key (…)=(…) already exists"
    "log_parameter_max_length=0",
    "log_parameter_max_length_on_error=0",
    "fsync=on",
    "synchronous_commit=on",  # an accepted ask is on the disk
    "password_encryption=scram-sha-256",
    "idle_in_transaction_session_timeout=60s",  # whoever means it longer says so; the logins of workers have less
)
"""The same in every deployment. Other times are limits of the logins (`runtime.roles`): a large load, a migration or a
backup takes as long as it takes."""
EMBEDDED_SETTINGS: Final = ("listen_addresses=", "unix_socket_permissions=0700", "log_destination=stderr")


def postgres(layout: Layout, owner: Owner | None, replicas: int) -> Server:
    """Postgres on a Unix socket, for up to `replicas` processes of each worker; the database is made on first use."""
    home = postgres_home(layout.data_dir, owner)
    owner = home_owner(home, owner)
    programs = postgres_programs(owner)
    sockets = layout.run / "pg"
    startup = _startup_message()

    async def ready() -> str | None:
        answers = await socket_answers(sockets / ".s.PGSQL.5432", startup, b"R")
        return None if answers else "does not accept connections"

    settings = (*POSTGRES_SETTINGS, *EMBEDDED_SETTINGS, f"max_connections={connections_needed(replicas)}")
    options = [part for setting in settings for part in ("-c", setting)]
    unit = Unit(
        name="postgres",
        command=(str(programs / "postgres"), "-D", str(home), "-k", str(sockets), *options),
        environment=plain_environment(),
        log=layout.log("postgres"),
        is_ready=ready,
        owner=owner,
        stop_signal=signal.SIGINT,  # "fast": ends sessions, writes a checkpoint
        stop_seconds=60.0,
        death_signal=signal.SIGINT,
        before_start=lambda: make_database(programs, home, owner, layout.log("initdb")),
    )

    def url(login: str) -> str:
        return f"postgresql://{login}@/{DATABASE}?host={quote(str(sockets))}"

    return Server(
        unit,
        url=url(POSTGRES_SUPERUSER),
        loader_url=url("cli_load"),
        environment={},
        own={
            MIGRATE: {
                "RAGSPINE_POSTGRES_ADMIN_URL": url(POSTGRES_SUPERUSER),
                "RAGSPINE_POSTGRES_URL": url(OWNER),
                "RAGSPINE_POSTGRES_OWNER_URL": url(OWNER),
                "RAGSPINE_POSTGRES_ROLES_FILE": "",
                "RAGSPINE_POSTGRES_REPLICAS": str(replicas),
            },
            GATEWAY: {"RAGSPINE_POSTGRES_URL": url("faq_keep")},
            **{
                service: {
                    "RAGSPINE_POSTGRES_URL": url(f"{service}_read"),
                    "RAGSPINE_POSTGRES_LOADER_URL": url(f"{service}_load"),
                }
                for service in (FACTS, NARRATIVE)
            },
        },
    )


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
            env=plain_environment(),
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
    """Valkey, a Redis-protocol server, on a Unix socket; it keeps derived data only and writes nothing to disk.

    Its users and their passwords are new for each start.
    """
    path, users, secret = (layout.run / name for name in ("valkey.sock", "valkey.acl", "valkey.password"))
    password, health = redis_rights.new_password(), redis_rights.new_password()
    write_private(users, redis_rights.acl(password, health))
    write_private(secret, password)

    async def ready() -> str | None:
        who = f"AUTH {redis_rights.HEALTH} {health}\r\n".encode()
        return None if await socket_answers(path, who, b"+OK") else "does not answer"

    command = [
        str(binaries.valkey_server()),
        *("--port", "0", "--unixsocket", str(path), "--unixsocketperm", "700", "--aclfile", str(users)),
        *("--dir", str(layout.valkey), "--daemonize", "no"),
        *(part for name, value in redis_rights.LIMITS.items() for part in (f"--{name}", *(value.split() or [""]))),
    ]
    unit = Unit(
        name="redis",
        command=tuple(command),
        environment=plain_environment(),
        log=layout.log("redis"),
        is_ready=ready,
        before_start=lambda: path.unlink(missing_ok=True),
    )
    place = quote(str(path))
    return Server(
        unit,
        url=f"unix://{redis_rights.GATEWAY}:{password}@{place}",
        environment={},
        own={
            GATEWAY: {
                "RAGSPINE_REDIS_URL": f"unix://{redis_rights.GATEWAY}@{place}",
                "RAGSPINE_REDIS_PASSWORD_FILE": str(secret),
            }
        },
    )


def _startup_message() -> bytes:
    """A connection request of the Postgres protocol (version 3.0)."""
    body = struct.pack("!i", 196_608) + b"user\0postgres\0database\0postgres\0\0"
    return struct.pack("!i", len(body) + 4) + body
