"""Writes deploy/nats and the table of docs/operations/bus.md from the table of the bus; the same table, the same bytes.

Secrets are placeholders there: `<gateway>` stands for the password of that user, `app` for an app. `--check` writes
nothing and fails when a stored file differs.
"""

import argparse
import sys
from pathlib import Path
from typing import Final

from cli.bus.configuration import ACCOUNTS_FILE, Password, ServerPlace, accounts_text, server_text
from runtime.bus_users import APP_INBOX, PRODUCT_USERS, REPLY_MAX, REPLY_SECONDS, USERS, BusUser, app_publish

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = Path("deploy/nats")
PAGE: Final = Path("docs/operations/bus.md")
EXAMPLE_APP: Final = "app"
COMPOSE: Final = ServerPlace("0.0.0.0", 4222, "0.0.0.0", 8222, "/data", "4GB", f"secrets/{ACCOUNTS_FILE}")  # noqa: S104 -- a container's own network
BEGIN: Final = "<!-- made by scripts.generate_bus -->"
END: Final = "<!-- end -->"


def generated_files() -> dict[Path, str]:
    """Path in the repository → text, for every generated file."""
    users = {user.name: Password(f"<{user.name}>") for user in USERS}
    return {
        FOLDER / "nats.conf": server_text(COMPOSE),
        FOLDER / ACCOUNTS_FILE: accounts_text(users, {EXAMPLE_APP: Password(f"<{EXAMPLE_APP}>")}),
        PAGE: _with_table((ROOT / PAGE).read_text(encoding="utf-8")),
    }


def _with_table(page: str) -> str:
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}"


def table() -> str:
    """Who may do what, as Markdown."""
    rows = [_row(user) for user in USERS]
    publish, subscribe = _codes(app_publish(EXAMPLE_APP)), _codes([APP_INBOX])
    rows.append(f"| {EXAMPLE_APP} (account of its own) | an app | {publish} | {subscribe} | no |")
    return "\n".join(["| user | who | may publish | may hear | may reply |", "|---|---|---|---|---|", *rows])


def _row(user: BusUser) -> str:
    replies = f"{REPLY_MAX}, within {REPLY_SECONDS} s" if user.answers else "no"
    account = "" if user in PRODUCT_USERS else " (system account)"
    return f"| {user.name}{account} | {user.what} | {_codes(user.publish)} | {_codes(user.subscribe)} | {replies} |"


def _codes(subjects: tuple[str, ...] | list[str]) -> str:
    return "<br>".join(f"`{subject}`" for subject in subjects) or "nothing"


def main() -> int:
    """Write or check; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m scripts.generate_bus", description=__doc__)
    parser.add_argument("--check", action="store_true")
    only_check = parser.parse_args().check
    stale = [path for path, text in generated_files().items() if not _is_current(ROOT / path, text)]
    for path in stale:
        print(f"{path}: {'not what the table says: make bus' if only_check else 'written'}")
        if not only_check:
            (ROOT / path).write_text(generated_files()[path], encoding="utf-8")
    return 1 if stale and only_check else 0


def _is_current(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
