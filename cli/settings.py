"""Where the command line finds things: the checkout, the data directory, the running stack. Reads the environment."""

import os
import shlex
from pathlib import Path
from typing import Final

import typer

from cli.console import CliError, ExitCode, command_name

ROOT: Final = Path(__file__).resolve().parents[1]
"""The checkout (in the image: /app)."""
SAMPLE: Final = ROOT / "deploy" / "sample"
"""The fictional ACME: profile and facts."""
DEFAULT_PORT: Final = 8321

DataDirOption = typer.Option(
    "--data-dir",
    help="Directory of the stack: data, logs, state. Default: RAGSPINE_DATA_DIR, else .ragspine in the checkout.",
    show_default=False,
)


def resolve_data_dir(chosen: Path | None) -> Path:
    """An absolute data directory, the usual one when none is chosen; relative ones count from the working directory."""
    return (chosen or environment_path("RAGSPINE_DATA_DIR") or ROOT / ".ragspine").expanduser().absolute()


def demo_data_dir() -> Path:
    """The directory of `ragspine demo`: below the usual one, so that a demo never touches real facts."""
    return resolve_data_dir(None) / "demo"


def command_in(directory: Path, words: str) -> str:
    """A command on the stack of a directory, as it can be pasted."""
    named = "" if directory == resolve_data_dir(None) else f" --data-dir {shlex.quote(str(directory))}"
    return f"{command_name()} {words}{named}"


def environment_path(name: str) -> Path | None:
    """A path from the environment; None when unset or empty."""
    value = os.environ.get(name, "").strip()
    return Path(value).expanduser().absolute() if value else None


def environment_text(name: str) -> str | None:
    """A text from the environment; None when unset or empty."""
    return os.environ.get(name, "").strip() or None


def api_key() -> str | None:
    """The API key that commands send: RAGSPINE_API_KEY, else what RAGSPINE_API_KEY_FILE holds. Raises `CliError`."""
    file = environment_path("RAGSPINE_API_KEY_FILE")
    try:
        key = environment_text("RAGSPINE_API_KEY") or (file.read_text(encoding="ascii").strip() if file else None)
    except (OSError, UnicodeError):
        raise CliError("RAGSPINE_API_KEY_FILE names no file with a key", code=ExitCode.USAGE) from None
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        raise CliError("RAGSPINE_API_KEY is no key: it has the form rsk_id.secret", code=ExitCode.USAGE)
    return key


def environment_copy() -> dict[str, str]:
    """The environment that a child process starts from; children work in `/`, so files of secrets are made absolute."""
    return {name: _absolute(value) if _names_secret(name) and value else value for name, value in os.environ.items()}


def _names_secret(name: str) -> bool:
    return name.startswith("RAGSPINE_") and name.endswith(
        ("KEY_FILE", "_KEYS_FILE", "_PASSWORD_FILE", "_CA_FILE", "_CERT_FILE", "_SECRET_FILE")
    )


def _absolute(path: str) -> str:
    return str(Path(path).expanduser().absolute())


def check_writable(directory: Path) -> None:
    """Make a directory; raises `CliError` when that is not allowed."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CliError(
            f"cannot make {directory}: {error.strerror}",
            hint="choose a directory of yours with --data-dir (or RAGSPINE_DATA_DIR)",
            code=ExitCode.USAGE,
        ) from None
    if not os.access(directory, os.W_OK | os.X_OK):
        raise CliError(
            f"cannot write to {directory}",
            hint="choose a directory of yours with --data-dir (or RAGSPINE_DATA_DIR)",
            code=ExitCode.USAGE,
        )
