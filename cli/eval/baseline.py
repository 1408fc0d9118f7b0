"""The baseline: the gates of an earlier run, kept in a file, and what has become worse since.

A rate is compared as a fraction, so a few more questions of the same kind do not hide a fault. What the baseline
measured and a run did not is worse too: leaving questions out is no way past a gate.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from cli.console import CliError, ExitCode
from cli.eval.tallies import FAULTS, Gate, Rate, Row

FORMAT: Final = 1
_HINT: Final = "write one with --write-baseline"


class PackBaseline(BaseModel):
    """What one set of questions came to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reference_date: str
    questions: int
    questions_digest: str
    rows: Mapping[str, Mapping[Gate, Rate]]
    misses: Mapping[str, tuple[str, ...]]
    """Reasons by question, so that a later run can say which question changed."""


class Baseline(BaseModel):
    """What all sets of a run came to."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = FORMAT
    packs: Mapping[str, PackBaseline]


@dataclass(frozen=True, slots=True)
class Change:
    """A gate that differs from the baseline; `now` is None where nothing was measured."""

    pack: str
    row: str
    gate: Gate
    before: Rate
    now: Rate | None


def read_baseline(path: Path) -> Baseline:
    """The baseline of a file; raises `CliError` when there is none that can be read."""
    try:
        return Baseline.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise CliError(f"{path}: cannot be read: {error}", hint=_HINT, code=ExitCode.USAGE) from None
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, problem["loc"]))
        raise CliError(f"{path}: is no baseline: {place}: {problem['msg']}", hint=_HINT, code=ExitCode.USAGE) from None


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline with one line per row and question, so that a change of it can be reviewed."""
    packs = ",\n".join(_pack_text(name, pack) for name, pack in sorted(baseline.packs.items()))
    text = f'{{"format": {FORMAT}, "packs": {{\n{packs}\n}}}}\n'
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CliError(f"{path}: cannot be written: {error.strerror}", code=ExitCode.USAGE) from None


def _pack_text(name: str, pack: PackBaseline) -> str:
    head = json.dumps(pack.model_dump(mode="json", exclude={"rows", "misses"}), ensure_ascii=False)[1:-1]
    rows = {row: {gate.value: rate for gate, rate in gates.items()} for row, gates in pack.rows.items()}
    parts = f'"rows": {_lines(rows)}', f'"misses": {_lines(dict(sorted(pack.misses.items())))}'
    return f"{json.dumps(name)}: {{{head},\n {f',{chr(10)} '.join(parts)}}}"


def _lines(entries: Mapping[str, object]) -> str:
    lines = (f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in entries.items())
    return "{\n" + ",\n".join(lines) + "\n }" if entries else "{}"


def worse(before: Baseline, now: Mapping[str, Mapping[str, Row]], packs: Iterable[str]) -> list[Change]:
    """Every gate of these packs that is worse than in the baseline, or that is not measured any more."""
    return [change for change in _changes(before, now, packs) if change.now is None or _is_worse(change.gate, change)]


def better(before: Baseline, now: Mapping[str, Mapping[str, Row]], packs: Iterable[str]) -> list[Change]:
    """Every gate of these packs that is better than in the baseline."""
    return [
        change
        for change in _changes(before, now, packs)
        if change.now is not None and change.now.total and _is_worse(change.gate, _turned(change, change.now))
    ]


def _changes(before: Baseline, now: Mapping[str, Mapping[str, Row]], packs: Iterable[str]) -> Iterable[Change]:
    for name in packs:
        pack = before.packs.get(name)
        for row, gates in pack.rows.items() if pack else ():
            measured = now.get(name, {}).get(row, Row()).gates
            for gate, rate in gates.items():
                if rate.total:
                    found = measured.get(gate, Rate(0, 0))
                    is_gone = not found.total and gate is not Gate.CITATION
                    yield Change(name, row, gate, rate, None if is_gone else found)


def _turned(change: Change, now: Rate) -> Change:
    return Change(change.pack, change.row, change.gate, now, change.before)


def _is_worse(gate: Gate, change: Change) -> bool:
    now = change.now or Rate(0, 0)
    return change.before.is_below(now) if gate in FAULTS else now.is_below(change.before)


def changed_questions(before: Sequence[str], now: Sequence[str]) -> tuple[list[str], list[str]]:
    """Reasons that are new, and reasons that are gone."""
    return [reason for reason in now if reason not in before], [reason for reason in before if reason not in now]
