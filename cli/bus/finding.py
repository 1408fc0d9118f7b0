"""Which bus a command means: the folder of RAGSPINE_BUS_DIR, else that of the stack of the data directory."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from cli.bus.home import APPS_FILE, BusHome
from cli.console import CliError, ExitCode
from cli.settings import environment_path, environment_text, resolve_data_dir
from cli.stack.state import running_stack

BUS_FOLDER: Final = "bus"
_DEFAULT_PORT: Final = 4222


@dataclass(frozen=True, slots=True)
class Found:
    """A bus whose accounts can be changed."""

    home: BusHome
    address: str | None
    """`nats://host:port`; None while it does not run and its next address is not known."""
    has_secrets: bool
    """Whether it has secrets for accounts to be made from: an embedded one has them while it runs."""


def find_home(data_dir: Path | None) -> Found:
    """The bus of RAGSPINE_BUS_DIR, else that of a stack, running or not. Raises `CliError` where there is none."""
    folder = environment_path("RAGSPINE_BUS_DIR")
    if folder is not None and data_dir is None:
        return Found(BusHome.at(folder), environment_text("RAGSPINE_NATS_URL"), has_secrets=True)
    directory = resolve_data_dir(data_dir)
    registry = directory / BUS_FOLDER / APPS_FILE
    state = running_stack(directory)
    if state is None:
        return Found(BusHome(directory / "run" / BUS_FOLDER, registry), None, has_secrets=False)
    if "nats" not in state.embedded:
        raise CliError(
            "the bus of this stack is your own: its accounts are not made here",
            hint="name the folder of its secrets in RAGSPINE_BUS_DIR (docs/operations/bus.md)",
            code=ExitCode.USAGE,
        )
    run = Path(state.profile_in_force).parent
    return Found(BusHome(run / BUS_FOLDER, registry), address_of(str(state.nats_url)), has_secrets=True)


def address_of(url: str) -> str:
    """An address without user and password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}:{parts.port or _DEFAULT_PORT}"
