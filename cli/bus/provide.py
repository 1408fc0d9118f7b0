"""`python -m cli.bus.provide FOLDER`: what a server needs before it starts. Compose's init runs it.

Passwords and apps that are there stay; the accounts are made again, so that a new release brings its own table.
"""

import sys
from pathlib import Path

from cli.bus.home import BusHome
from cli.console import CliError, show_error
from runtime.bus_users import USERS


def provide(folder: Path) -> None:
    """Make missing passwords, and the accounts; raises `CliError`."""
    home = BusHome.at(folder)
    home.make_secrets((user.name for user in USERS), fresh=False)
    home.write_accounts()


def main() -> int:
    """Provide one folder; returns the exit code."""
    try:
        provide(Path(sys.argv[1]))
    except CliError as error:
        show_error(error)
        return error.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
