"""Whether every process of a running stack answers from the same profile, and whether its file still says the same."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cli.settings import command_in
from cli.stack.net import HttpReply, http_get
from cli.stack.state import StackState, UnitState
from domain.profile import ProfileFile, compare_file


@dataclass(frozen=True, slots=True)
class Agreement:
    """The profiles of a stack, compared."""

    profile: str
    file: ProfileFile
    """How the file that the user named compares with what is in force."""
    digests: Mapping[str, str]
    """What each worker that answers says is in force there."""
    expected: str

    @property
    def workers_agree(self) -> bool:
        """Whether all of them say what the start said."""
        return set(self.digests.values()) <= {self.expected}

    def as_json(self) -> dict[str, object]:
        """For scripts."""
        return {"profile_file": self.file.value, "workers_agree": self.workers_agree, "digests": dict(self.digests)}

    def complaints(self, directory: Path) -> Iterator[str]:
        """What an operator should know, and do."""
        if not self.workers_agree:
            others = ", ".join(f"{name} {d}" for name, d in self.digests.items() if d != self.expected)
            yield f"profile_mismatch: asks are refused, because workers run with another profile: {others}"
        restart = f"{command_in(directory, 'down')} && {command_in(directory, 'up')}"
        if self.file is ProfileFile.CHANGED:
            yield f"the profile FILE has changed since start; restart to use it:  {restart}"
        elif self.file is ProfileFile.UNREADABLE:
            yield (
                f"the profile FILE cannot be used any more (ragspine profile check {self.profile}); "
                "the running stack keeps what it has read"
            )
        elif not self.workers_agree:
            yield f"restart to mend it:  {restart}"


async def ask_health(state: StackState) -> dict[str, HttpReply | None]:
    """What each process says on `/readyz`; None for one that does not answer, and for servers."""
    answers = await asyncio.gather(*(_readyz(unit) for unit in state.processes.values()))
    return dict(zip(state.processes, answers, strict=True))


def agree(state: StackState, health: Mapping[str, HttpReply | None]) -> Agreement:
    """Compare what the workers say with the start and with the file."""
    said = {name: reply.body.get("profile_digest") for name, reply in health.items() if reply is not None}
    return Agreement(
        profile=state.profile,
        file=compare_file(Path(state.profile), state.profile_digest),
        digests={name: digest for name, digest in said.items() if isinstance(digest, str)},
        expected=state.profile_digest,
    )


async def _readyz(unit: UnitState) -> HttpReply | None:
    if unit.ops_url is None:
        return None
    return await http_get("127.0.0.1", int(unit.ops_url.rsplit(":", 1)[1]), "/readyz")
