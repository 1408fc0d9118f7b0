"""Turns the user's options into the list of processes to start."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cli.console import CliError, ExitCode
from cli.settings import environment_text
from cli.stack import servers, stores
from cli.stack.layout import Layout
from cli.stack.net import free_port, is_free
from cli.stack.owner import postgres_owner
from cli.stack.servers import Server
from cli.stack.units import Unit
from cli.stack.workers import MIGRATE, WORKERS, migration, worker, worker_environment
from runtime.roles import DEFAULT_REPLICAS

MAX_REPLICAS = 16


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for."""

    data_dir: Path
    host: str
    port: int
    """0: a free one."""
    profile: Path
    profile_digest: str
    replicas: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that will run, in starting order, and how to reach it."""

    options: Options
    layout: Layout
    servers: tuple[Unit, ...]
    migration: Unit
    workers: tuple[Unit, ...]
    http_url: str
    urls: Mapping[str, str]
    """`nats_url`, `nats_cli_url` (where the bus is ours), `postgres_url`, `postgres_loader_url` (where that is another
    login), `redis_url`."""


def make_plan(options: Options) -> Plan:
    """Decide every path, port and variable. Starts nothing, but makes folders and configuration files."""
    owner = postgres_owner() if environment_text("RAGSPINE_POSTGRES_URL") is None else None
    layout = Layout.prepare(options.data_dir, owner)
    processes = (DEFAULT_REPLICAS, *options.replicas.values())
    makers: dict[str, Callable[[], Server]] = {
        "RAGSPINE_NATS_URL": lambda: servers.nats(layout),
        "RAGSPINE_POSTGRES_URL": lambda: stores.postgres(layout, owner, max(processes)),
        "RAGSPINE_REDIS_URL": lambda: stores.valkey(layout),
    }
    units: list[Unit] = []
    urls: dict[str, str] = {}
    variables: dict[str, str] = {}
    own: dict[str, dict[str, str]] = {MIGRATE: {}, **{service: {} for service in WORKERS}}
    for variable, make in makers.items():
        name = variable.removeprefix("RAGSPINE_").lower()
        given = environment_text(variable)
        if given is not None:
            urls[name] = given
            continue
        server = make()
        units.append(server.unit)
        urls[name] = server.url
        variables |= server.environment
        if server.loader_url is not None:
            urls["postgres_loader_url"] = server.loader_url
        if server.cli_url is not None:
            urls[name.replace("_url", "_cli_url")] = server.cli_url
        for process, more in server.own.items():
            own[process] |= more
    http = (options.host, options.port or free_port(options.host))
    environment = worker_environment(variables, _copied(options.profile, layout.profile), origin=options.profile)
    return Plan(
        options=options,
        layout=layout,
        servers=tuple(units),
        migration=migration(layout, environment | own[MIGRATE]),
        workers=tuple(
            worker(service, number, layout, environment | own[service], http)
            for service in WORKERS
            for number in range(1, options.replicas.get(service, 1) + 1)
        ),
        http_url=f"http://{http[0]}:{http[1]}",
        urls=urls,
    )


def _copied(profile: Path, target: Path) -> Path:
    """A copy of the profile for this start: a worker that is started again must read what the others have read."""
    content = profile.read_bytes()  # before anything is removed: it may be the copy of a start that was killed
    target.unlink(missing_ok=True)
    target.write_bytes(content)
    return target


def check_port(host: str, port: int) -> None:
    """Raise `CliError` when something already listens there."""
    if port and not is_free(host, port):
        raise CliError(
            f"port {port} on {host} is taken by another program",
            hint="choose another one with --port (0: a free one) or RAGSPINE_HTTP_PORT",
        )


def parse_replicas(values: list[str]) -> dict[str, int]:
    """`["orchestrator=3"]` as a mapping; raises `CliError` on anything else."""
    replicas: dict[str, int] = {}
    for value in values:
        service, _, number = value.partition("=")
        if service not in WORKERS or not number.isdecimal() or not 1 <= int(number) <= MAX_REPLICAS:
            raise CliError(
                f"--scale {value}: not SERVICE=NUMBER",
                hint=f"SERVICE is one of {', '.join(WORKERS)}, NUMBER from 1 to {MAX_REPLICAS}",
                code=ExitCode.USAGE,
            )
        replicas[service] = int(number)
    return replicas
