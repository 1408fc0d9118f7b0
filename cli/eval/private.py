"""A stack of its own for one set of questions: started empty, loaded, and gone afterwards, Ctrl-C included.

It uses no server, database or profile of the environment: what is measured is what is in the files. Only the model
(`RAGSPINE_LLM…`) is taken over.
"""

import asyncio
import shutil
import signal
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from cli.console import CliError, ExitCode, note
from cli.down import stop_stack
from cli.settings import environment_copy
from cli.stack.plan import Options
from cli.stack.state import StackState
from cli.up import start_detached
from domain.profile import CompanyProfile
from services.facts.loader import AddressError, DatabaseAwayError, FileError, LoadReport, load_files

_MODEL: Final = "RAGSPINE_LLM"
_KEPT: Final = (_MODEL, "RAGSPINE_REACHABLE_DIR", "RAGSPINE_POSTGRES_SYSTEM_USER")


@contextmanager
def private_stack(profile: Path, company: CompanyProfile, facts: Sequence[Path]) -> Generator[str]:
    """The URL of a fresh stack with these facts. Raises `CliError` when it does not start or the facts are bad."""
    directory = Path(tempfile.mkdtemp(prefix="ragspine-eval-"))
    directory.chmod(0o755)  # the user that runs the Postgres of root must reach its files
    try:
        with _ended_by_signals():
            try:
                options = Options(directory, "127.0.0.1", 0, profile.absolute(), company.digest())
                state = start_detached(options, [], environment=_environment())
                _load(state, facts, company)
                yield state.http_url
            finally:
                stop_stack(directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _environment() -> dict[str, str]:
    ours = environment_copy()
    return {name: value for name, value in ours.items() if not name.startswith("RAGSPINE_") or name.startswith(_KEPT)}


def _load(state: StackState, facts: Sequence[Path], company: CompanyProfile) -> None:
    if not facts or state.postgres_url is None:
        return
    try:
        # Codes outside the profile are stored and never answer, as in a real store.
        report = asyncio.run(load_files(state.postgres_url, facts, profile=None))
    except (AddressError, DatabaseAwayError, FileError) as error:
        raise CliError(str(error), code=ExitCode.USAGE) from None
    if report.loaded is None:
        raise CliError(f"the facts cannot be loaded: {_first(report)}", code=ExitCode.USAGE)
    note(f"{report.loaded.received:,} facts loaded, profile {company.digest()}", style="dim")


def _first(report: LoadReport) -> str:
    bad = report.bad[0]
    return f"{bad.file}:{bad.line}: {bad.column}: {bad.reason}"


@contextmanager
def _ended_by_signals() -> Generator[None]:
    """Take the signals that would end us for Ctrl-C, so that the stack is stopped first."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    known = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in known.items():
            signal.signal(number, handler)
