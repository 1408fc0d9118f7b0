"""Where the secrets of a bus are: one file for each user, the registry of apps, and the accounts made from both.

Files are replaced in one step and readable by their owner only. `write_accounts` is the only way to change what the
server reads, so that it always says what table, secrets and registry say.
"""

import json
import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from cli.bus.configuration import ACCOUNTS_FILE, Credential, Password, PublicKey, Tls, accounts_text
from cli.console import CliError, ExitCode
from contracts.subjects import LOCAL_APP
from runtime.bus_users import USERS

APPS_FILE: Final = "apps.json"
TLS_FILE: Final = "tls.json"
USERS_FOLDER: Final = "users"
_SECRET_BYTES: Final = 32


class AppEntry(BaseModel):
    """One app of the registry: a password or the public half of an NKey."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    password: str | None = None
    nkey: str | None = None
    created: str

    @property
    def credential(self) -> Credential:
        """What the app shows to the server."""
        if self.nkey is not None:
            return PublicKey(self.nkey)
        return Password(self.password or "")


class _Registry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    apps: dict[str, AppEntry] = {}


@dataclass(frozen=True, slots=True)
class BusHome:
    """The folders of one bus."""

    folder: Path
    """Secrets of the users, and the accounts that the server reads."""
    registry: Path
    """The apps; they outlive the server."""

    @classmethod
    def at(cls, folder: Path) -> Self:
        """A bus that keeps everything in one folder."""
        return cls(folder, folder / APPS_FILE)

    @property
    def accounts(self) -> Path:
        """What the server includes."""
        return self.folder / ACCOUNTS_FILE

    def secret_file(self, user: str) -> Path:
        """The file with the password of a user of the product."""
        return self.folder / USERS_FOLDER / f"{user}.password"

    def key_file(self, user: str) -> Path:
        """The file with the public NKey of a user of the product; it counts more than a password."""
        return self.folder / USERS_FOLDER / f"{user}.nkey"

    def make_secrets(self, names: Iterable[str], *, fresh: bool) -> dict[str, Path]:
        """A password for each user that has none, or a new one for everybody; returns the files."""
        files = {name: self.secret_file(name) for name in names}
        for path in files.values():
            if fresh or not path.exists():
                write_private(path, new_secret())
        return files

    def credentials(self) -> dict[str, Credential]:
        """What every user of the product shows; raises `CliError` for one without."""
        return {user.name: self._credential(user.name) for user in USERS}

    def apps(self) -> dict[str, AppEntry]:
        """The registered apps; raises `CliError` when the registry cannot be read."""
        try:
            text = self.registry.read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise _unreadable(self.registry, str(error.strerror)) from None
        try:
            return _Registry.model_validate_json(text).apps
        except ValidationError:
            raise _unreadable(self.registry, "not a registry of apps") from None

    def keep_apps(self, apps: Mapping[str, AppEntry]) -> None:
        """Replace the registry."""
        entries = {name: apps[name].model_dump(exclude_none=True) for name in sorted(apps)}
        write_private(self.registry, json.dumps({"apps": entries}, indent=2) + "\n")

    def app_credentials(self) -> dict[str, Credential]:
        """What every app shows: the registered ones, and `local` where it has a password."""
        found: dict[str, Credential] = {name: entry.credential for name, entry in self.apps().items()}
        if (password := _read(self.secret_file(LOCAL_APP))) is not None:
            found[LOCAL_APP] = Password(password)
        return found

    def tls(self) -> Tls | None:
        """How connections are encrypted; None where they are not. Raises `CliError` for a file that says nonsense."""
        text = _read(self.folder / TLS_FILE)
        if text is None:
            return None
        try:
            return TypeAdapter(Tls).validate_json(text)
        except ValidationError:
            raise _unreadable(self.folder / TLS_FILE, "not what docs/operations/bus.md says of it") from None

    def accounts_text(self) -> str:
        """What the server's accounts are to be, by table, secrets and registry."""
        return accounts_text(self.credentials(), self.app_credentials(), self.tls())

    def write_accounts(self) -> None:
        """Make the server's accounts again."""
        write_private(self.accounts, self.accounts_text())

    def _credential(self, user: str) -> Credential:
        if (key := _read(self.key_file(user))) is not None:
            return PublicKey(key)
        if (password := _read(self.secret_file(user))) is not None:
            return Password(password)
        raise _unreadable(self.secret_file(user), "there is no such file")


def new_secret() -> str:
    """A password that nobody guesses, fit for an address."""
    return secrets.token_urlsafe(_SECRET_BYTES)


def write_private(path: Path, text: str) -> None:
    """Replace a file in one step; only its owner reads it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    fresh.replace(path)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(path, str(error.strerror)) from None


def _unreadable(path: Path, reason: str) -> CliError:
    return CliError(f"{path} cannot be used: {reason}", hint="see docs/operations/bus.md", code=ExitCode.FAILED)
