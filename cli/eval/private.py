"""A stack of its own for each set of questions: started empty, loaded, and gone afterwards, Ctrl-C included.

It uses no server, database or profile of the environment: what is measured is what is in the files. Only the model
(`RAGSPINE_LLM…`) is taken over.
"""

import asyncio
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final, Self

from cli.console import CliError, ExitCode, note
from cli.down import stop_stack
from cli.settings import environment_copy
from cli.stack.plan import Options
from cli.stack.state import StackState
from cli.up import Launched, launch, wait_until_ready
from domain.profile import CompanyProfile
from services.facts.loader import AddressError, DatabaseAwayError, FileError, LoadReport, load_files

_MODEL: Final = "RAGSPINE_LLM"
STOP_SECONDS: Final = 120.0
_KEPT: Final = (_MODEL, "RAGSPINE_REACHABLE_DIR", "RAGSPINE_POSTGRES_SYSTEM_USER")


class PrivateStack:
    """One stack in a directory of its own; as a context, it is gone at the end, started or not."""

    def __init__(self, profile: Path, company: CompanyProfile, facts: Sequence[Path]) -> None:
        self._profile = profile.absolute()
        self._company = company
        self._facts = facts
        self._launched: Launched | None = None

    def launch(self) -> Launched:
        """Begin to start, once; nothing is waited for."""
        if self._launched is None:
            directory = Path(tempfile.mkdtemp(prefix="ragspine-eval-"))
            directory.chmod(0o755)  # the user that runs the Postgres of root must reach its files
            options = Options(directory, "127.0.0.1", 0, self._profile, self._company.digest())
            self._launched = launch(options, [], _environment())
        return self._launched

    def ready(self) -> str:
        """Wait until it runs with its facts; its URL. Raises `CliError` when it fails or the facts are bad."""
        state = wait_until_ready(self.launch())
        _load(state, self._facts, self._company)
        return state.http_url

    def end(self) -> None:
        """Begin to stop; nothing is waited for."""
        if self._launched is not None and self._launched.process.poll() is None:
            self._launched.process.terminate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        launched = self._launched
        if launched is None:
            return
        self.end()
        try:
            launched.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            stop_stack(launched.data_dir, timeout_seconds=0.1)
        shutil.rmtree(launched.data_dir, ignore_errors=True)


def _environment() -> dict[str, str]:
    ours = environment_copy()
    return {name: value for name, value in ours.items() if not name.startswith("RAGSPINE_") or name.startswith(_KEPT)}


def _load(state: StackState, facts: Sequence[Path], company: CompanyProfile) -> None:
    if not facts or state.loading_url is None:
        return
    try:
        # Codes outside the profile are stored and never answer, as in a real store.
        report = asyncio.run(load_files(state.loading_url, facts, profile=None))
    except (AddressError, DatabaseAwayError, FileError) as error:
        raise CliError(str(error), code=ExitCode.USAGE) from None
    if report.loaded is None:
        raise CliError(f"the facts cannot be loaded: {_first(report)}", code=ExitCode.USAGE)
    note(f"{report.loaded.received:,} facts loaded, profile {company.digest()}", style="dim")


def _first(report: LoadReport) -> str:
    bad = report.bad[0]
    return f"{bad.file}:{bad.line}: {bad.column}: {bad.reason}"


@contextmanager
def ended_by_signals() -> Generator[None]:
    """Take the signals that would end us for Ctrl-C, so that stacks are stopped first."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    known = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in known.items():
            signal.signal(number, handler)
