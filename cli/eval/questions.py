"""Questions with what a right answer shows, read from JSON lines; a wrong line is named with its number and field.

Figures are kept as written: a number of a line never passes through a float.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from cli.console import CliError, ExitCode
from cli.eval.numbers import first_number
from contracts.codes import TOTAL_CHANNEL, Locale, OperationKind, PeriodType
from contracts.v1.ask import HistoryTurn, Question
from contracts.v1.base import Code, IsoDate
from contracts.v1.facts import DecimalText, FactQuery
from contracts.v1.periods import Period, is_period_value
from domain.language import choose_locale


class Kind(StrEnum):
    """What a question is for; docs/evaluation.md says how each is judged."""

    STRUCTURED = "structured"  # stored figures
    COMPARE = "compare"  # a figure computed from stored ones
    COMPOSITE = "composite"  # figures and reasons
    NARRATIVE = "narrative"  # reasons only
    UNANSWERABLE = "unanswerable"  # not in the facts
    CONFLICT = "conflict"  # sources that disagree
    AMBIGUOUS = "ambiguous"  # several readings, or something is missing
    TRAP = "trap"  # one word changes the number


class _Lenient(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ExpectedFact(_Lenient):
    """A figure that must be shown exactly."""

    metric: Code
    entity: Code
    period: Code
    period_type: PeriodType | None = None
    channel: Code = TOTAL_CHANNEL
    value: DecimalText
    unit: Code

    @model_validator(mode="after")
    def _well_formed(self) -> Self:
        kinds = [self.period_type] if self.period_type else list(PeriodType)
        if not any(is_period_value(kind, self.period) for kind in kinds):
            raise ValueError("period is not written as 2024, 2024H1, 2024Q3, 2024M10 or 2024Q3YTD")
        return self

    @property
    def scope(self) -> FactQuery:
        """The scope of the figure."""
        kind = self.period_type or next(kind for kind in PeriodType if is_period_value(kind, self.period))
        period = Period(type=kind, value=self.period)
        return FactQuery(metric=self.metric, entity=self.entity, period=period, channel=self.channel)


class _Derived(_Lenient):
    value_printed: int | str


class _Expect(_Lenient):
    facts: tuple[ExpectedFact, ...] = ()
    derived: _Derived | int | str | None = None
    gold: object = None
    refusal: str | None = None
    must_not_return_number: bool = False


class _Context(_Lenient):
    default_entity: Code | None = None


class _Row(_Lenient):
    id: str | None = Field(default=None, min_length=1, max_length=200)
    lang: Locale | None = None
    question: Question
    kind: str = Kind.STRUCTURED
    subkind: str = ""
    pack: str | None = ""
    profile: str = ""
    expect: _Expect | str = _Expect()
    context: _Context | None = None
    default_entity: Code | None = None
    reference_date: IsoDate | None = None
    history: tuple[str | HistoryTurn, ...] = ()


@dataclass(frozen=True, slots=True)
class Trap:
    """What must become of a trap: `asked`, `refused` or `answered` with exactly these scopes, in this order."""

    outcome: str
    scopes: tuple[str, ...] = ()
    computed: OperationKind | None = None
    """What must be computed from them."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One question, and what a right answer to it shows."""

    id: str
    lang: Locale
    kind: Kind
    subkind: str
    text: str
    pack: str = ""
    default_entity: str | None = None
    reference_date: date | None = None
    history: tuple[HistoryTurn, ...] = ()
    facts: tuple[ExpectedFact, ...] = ()
    derived: str | None = None
    """The computed figure as its source prints it; None when none is expected."""
    gold: str = ""
    """What the source of the question says, with all its numbers."""
    missing: str | None = None
    """`period` or `entity`: left out on purpose, so that assuming it visibly is as good as asking."""
    must_not_return_number: bool = False
    trap: Trap | None = None


def read_questions(path: Path) -> list[AskedQuestion]:
    """All questions of a JSONL file. Raises `CliError` that names a line and what is wrong with it."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CliError(f"{path}: cannot be read as text: {error}", code=ExitCode.USAGE) from None
    questions = [_read_line(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not questions:
        raise CliError(f"{path}: holds no questions", code=ExitCode.USAGE)
    _refuse_repeated(path, questions)
    return questions


def digest_of(questions: Iterable[AskedQuestion]) -> str:
    """Sixteen hexadecimal digits that change when other questions are asked."""
    written = "\n".join(sorted(f"{question.id}\t{question.kind}\t{question.text}" for question in questions))
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def _read_line(path: Path, number: int, line: str) -> AskedQuestion:
    try:
        # Digits as they stand: a float has already lost some.
        raw: object = json.loads(line, parse_float=str, parse_int=str)
    except ValueError:
        raise _wrong(path, number, "is no JSON object") from None
    if not isinstance(raw, dict):
        raise _wrong(path, number, "is no JSON object")
    try:
        return _question(_Row.model_validate(raw), number)
    except ValidationError as error:
        problem = error.errors(include_input=False, include_url=False)[0]
        field = ".".join(str(part) for part in problem["loc"] if not str(part).startswith("_"))
        raise _wrong(path, number, f"{field}: {problem['msg'].removeprefix('Value error, ')}") from None
    except ValueError as error:
        raise _wrong(path, number, str(error)) from None


def _wrong(path: Path, number: int, reason: str) -> CliError:
    return CliError(f"{path}: line {number}: {reason}", hint="see `eval --help` for a line", code=ExitCode.USAGE)


def _question(row: _Row, number: int) -> AskedQuestion:
    is_trap = isinstance(row.expect, str)
    expect = _Expect() if isinstance(row.expect, str) else row.expect
    context = row.context or _Context()
    derived = _printed(expect.derived)
    return AskedQuestion(
        id=row.id or str(number),
        lang=row.lang or choose_locale(row.question, None, "auto"),
        kind=Kind.TRAP if is_trap else _kind(row.kind),
        subkind=row.kind if is_trap else row.subkind,
        text=row.question,
        pack=row.pack or row.profile,
        default_entity=row.default_entity or context.default_entity,
        reference_date=row.reference_date,
        history=tuple(HistoryTurn(role="user", text=turn) if isinstance(turn, str) else turn for turn in row.history),
        facts=expect.facts,
        derived=derived if derived and first_number(derived) is not None else None,
        gold=json.dumps(expect.gold, ensure_ascii=False) if expect.gold else "",
        missing=_missing(expect.refusal),
        must_not_return_number=expect.must_not_return_number,
        trap=_trap(row.expect) if isinstance(row.expect, str) else None,
    )


def _kind(text: str) -> Kind:
    try:
        return Kind(text)
    except ValueError:
        raise ValueError(f"kind: {text!r} is none of {', '.join(Kind)}") from None


def _printed(derived: _Derived | int | str | None) -> str | None:
    value = derived.value_printed if isinstance(derived, _Derived) else derived
    return None if value is None else str(value)


def _missing(refusal: str | None) -> str | None:
    slots = {"missing_period": "period", "relative_period": "period", "missing_entity": "entity"}
    return slots.get(refusal or "")


def _trap(text: str) -> Trap:
    if text in {"asked", "refused"}:
        return Trap(text)
    start, _, rest = text.partition(":")
    scopes = tuple(scope.strip() for scope in rest.split(","))
    known = {"answered", *OperationKind}
    if start not in known or not all(scope.count("/") in {2, 3} for scope in scopes):
        raise ValueError(f"expect: {text!r} is none of asked, refused, answered:METRIC/ENTITY/PERIOD[/CHANNEL], …")
    return Trap("answered", scopes, None if start == "answered" else OperationKind(start))


def _refuse_repeated(path: Path, questions: Sequence[AskedQuestion]) -> None:
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise CliError(f"{path}: two questions have the id {question.id!r}", code=ExitCode.USAGE)
        seen.add(question.id)
