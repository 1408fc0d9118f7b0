"""The keys file that a command means, and changes of it that lose nothing and let nobody else in."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from cli.console import CliError, ExitCode, command_name
from cli.settings import environment_path, resolve_data_dir
from cli.stack.layout import keys_file
from services.gateway.access.key_file import KeyFile, KeyFileError, StoredKey, changing, read_keys, write_keys

_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LONGEST: Final = timedelta(days=36_500)


def chosen_file(file: Path | None, data_dir: Path | None) -> Path:
    """The file: `file`, else RAGSPINE_HTTP_KEYS_FILE, else that of the data directory."""
    named = file or (None if data_dir else environment_path("RAGSPINE_HTTP_KEYS_FILE"))
    return named.expanduser().absolute() if named else keys_file(resolve_data_dir(data_dir))


def read(path: Path) -> KeyFile:
    """The keys; none where there is no file. Raises `CliError`."""
    with _explained(path):
        return read_keys(path) if path.exists() else KeyFile()


@contextmanager
def edited(path: Path) -> Generator[list[StoredKey]]:
    """The keys, to be changed in place while nobody else does; what the block leaves is stored. Raises `CliError`."""
    with _explained(path), changing(path) as found:
        keys = list(found.keys)
        yield keys
        write_keys(path, KeyFile(keys=tuple(keys)))


def find(keys: list[StoredKey], key_id: str, path: Path) -> int:
    """Where a key stands; its id may be given with the `rsk_` before it. Raises `CliError`."""
    wanted = key_id.removeprefix("rsk_").partition(".")[0]
    for place, key in enumerate(keys):
        if key.id == wanted:
            return place
    # What was typed may be a whole key, so it is not repeated.
    raise CliError(
        f"no key with this id in {path}", hint=f"`{command_name()} keys list` shows the ids", code=ExitCode.USAGE
    )


def period(text: str, option: str) -> timedelta:
    """`90d`, `12h`, `30m`, `45s`, `2w`, or 0. Raises `CliError`."""
    number, unit = text[:-1], text[-1:]
    if text == "0":
        return timedelta()
    if number.isascii() and number.isdecimal() and unit in _UNITS and len(number) < 10:
        found = timedelta(**{_UNITS[unit]: int(number)}) if int(number) < _LONGEST.total_seconds() else _LONGEST
        if timedelta() < found < _LONGEST:
            return found
    raise CliError(f"{option}: not a period such as 90d, 12h or 30m", code=ExitCode.USAGE)


def state_of(key: StoredKey, now: datetime) -> str:
    """`valid`, `revoked` or `expired`."""
    if key.is_valid(now):
        return "valid"
    return "revoked" if key.revoked is not None and key.revoked <= now else "expired"


@contextmanager
def _explained(path: Path) -> Generator[None]:
    try:
        yield
    except KeyFileError as error:
        raise CliError(f"{path}: {error}", hint="nothing was changed", code=ExitCode.FAILED) from None
    except OSError as error:
        raise CliError(f"{path} cannot be used: {error.strerror}", hint="name another one with --file") from None
