"""What a loadable row is. The rules are those of the contract's `FactRow`; this module only makes them fast and clear.

`check` says yes by itself where a row is plainly right, and otherwise asks `FactRow`: it can never accept what the
contract refuses, and the reasons it adds say what to write instead.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from contracts.codes import TOTAL_CHANNEL, FactParam, PeriodType, ReviewStatus
from contracts.v1.base import MAX_CODE_CHARS, MAX_TEXT_CHARS, IsoDate, is_unit, is_visible
from contracts.v1.facts import DECIMAL_PATTERN, FactRow
from contracts.v1.periods import is_period_value
from domain.profile import RATE_UNITS
from services.facts.advice import reason_for
from services.facts.vocabulary import COLUMN_OF, Vocabulary

MAX_KEY_BYTES: Final = 2_560
"""Metric, entity, channel and document of one row together, in UTF-8: what an index entry of Postgres holds."""

_MAX_BYTES_PER_CHAR: Final = 4
_DECIMAL: Final = re.compile(DECIMAL_PATTERN)
_DATE: Final[TypeAdapter[object]] = TypeAdapter(IsoDate)
_KINDS: Final = {str(kind): kind for kind in PeriodType}
_STATUSES: Final = frozenset(map(str, ReviewStatus))


class Row(NamedTuple):
    """A row as text, in the order of the columns of the staging table."""

    metric_code: str
    entity: str
    period_type: str
    period: str
    channel: str
    value: str
    unit: str
    source_doc_id: str
    source_locator: str
    valid_as_of: str
    """Empty where there is none."""
    review_status: str


DEFAULTS: Final[Mapping[str, str]] = {
    "channel": TOTAL_CHANNEL,
    "valid_as_of": "",
    "review_status": ReviewStatus.APPROVED.value,
}
"""What a column that may be left out means then."""


class Problem(NamedTuple):
    """Why a row cannot be loaded; `column` is empty when it is about the row as a whole."""

    column: str
    reason: str


class RowChecker:
    """Decides which rows may be loaded. Without a vocabulary any code may, and any unit.

    With `strict_units` a figure must have the unit that the profile gives its metric.
    """

    def __init__(self, vocabulary: Vocabulary | None, *, strict_units: bool = False) -> None:
        self._vocabulary = vocabulary
        self._strict_units = strict_units
        self._metrics = vocabulary.loadable_metrics if vocabulary else frozenset[str]()

    def check(self, raw: Row) -> Row | tuple[Problem, ...]:
        """The row to store, or what is wrong with it."""
        if not _is_plainly_right(raw):
            checked = read_by_contract(raw._asdict() | {"valid_as_of": raw.valid_as_of or None})
            if not isinstance(checked, Row):
                return checked
            raw = checked
        return self.unknown_codes(raw) or long_key(raw) or self._refused_unit(raw) or raw

    def check_object(self, raw: Mapping[str, object]) -> Row | tuple[Problem, ...]:
        """The same for a JSON object with the columns as its names."""
        row = _as_texts(raw)
        if row is not None:
            return self.check(row)
        checked = read_by_contract(raw)
        return self.check(checked) if isinstance(checked, Row) else checked

    def other_unit(self, row: Row) -> str | None:
        """The unit of the profile for the metric, where the row has another one; None where they agree."""
        wanted = self._vocabulary.units.get(row.metric_code) if self._vocabulary else None
        if wanted is None or row.unit == wanted or {row.unit, wanted} <= RATE_UNITS:
            return None
        return wanted

    def _refused_unit(self, row: Row) -> tuple[Problem, ...]:
        wanted = self.other_unit(row) if self._strict_units else None
        return (Problem("unit", f"the profile has {wanted} for {row.metric_code}"),) if wanted else ()

    def unknown_codes(self, row: Row) -> tuple[Problem, ...]:
        """What the profile does not know of a row."""
        words = self._vocabulary
        if words is None:
            return ()
        unknown: list[tuple[FactParam, str]] = []
        if row.metric_code not in self._metrics:
            unknown.append((FactParam.METRIC, row.metric_code))
        if row.entity not in words.entities:
            unknown.append((FactParam.ENTITY, row.entity))
        if row.channel not in words.channels:
            unknown.append((FactParam.CHANNEL, row.channel))
        return tuple(Problem(COLUMN_OF[param], words.advice(param, raw)) for param, raw in unknown)


def row_of(fact: FactRow) -> Row:
    """A row of the contract as text."""
    return Row(
        fact.metric_code,
        fact.entity,
        fact.period_type.value,
        fact.period,
        fact.channel,
        format(fact.value, "f"),  # allow-fact-number: the digits as sent, on their way to the database
        fact.unit,
        fact.source_doc_id,
        fact.source_locator,
        fact.valid_as_of.isoformat() if fact.valid_as_of else "",
        fact.review_status.value,
    )


def read_by_contract(raw: Mapping[str, object]) -> Row | tuple[Problem, ...]:
    """The row as `FactRow` reads it, or its reasons in words for somebody who mends a file."""
    try:
        return row_of(FactRow.model_validate(raw))
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
        return tuple(_problem(str(d["loc"][0]) if d["loc"] else "", raw, d["type"], d["msg"]) for d in details)


def long_key(row: Row) -> tuple[Problem, ...]:
    """Whether the key of a row is longer than the database can index."""
    parts = (row.metric_code, row.entity, row.channel, row.source_doc_id)
    if sum(map(len, parts)) * _MAX_BYTES_PER_CHAR <= MAX_KEY_BYTES:
        return ()
    if sum(len(part.encode()) for part in parts) <= MAX_KEY_BYTES:
        return ()
    return (
        Problem(
            "source_doc_id",
            f"metric_code, entity, channel and source_doc_id together are longer than {MAX_KEY_BYTES:,} bytes",
        ),
    )


_COLUMNS: Final = frozenset(Row._fields)


def _as_texts(raw: Mapping[str, object]) -> Row | None:
    """The row of an object that has the right names and texts only; None for any other."""
    if not raw.keys() <= _COLUMNS or raw.get("valid_as_of") == "":
        return None
    given = {name: value for name, value in raw.items() if not (name == "valid_as_of" and value is None)}
    texts = [text for text in map({**DEFAULTS, **given}.get, Row._fields) if isinstance(text, str)]
    return Row._make(texts) if len(texts) == len(Row._fields) else None


def _is_plainly_right(row: Row) -> bool:
    return (
        _is_plain(row.metric_code, MAX_CODE_CHARS)
        and _is_plain(row.entity, MAX_CODE_CHARS)
        and _is_period(row.period_type, row.period)
        and _is_plain(row.channel, MAX_CODE_CHARS)
        and _DECIMAL.fullmatch(row.value) is not None
        and _is_plain_unit(row.unit)
        and _is_plain(row.source_doc_id, MAX_TEXT_CHARS)
        and _is_plain(row.source_locator, MAX_TEXT_CHARS)
        and (row.valid_as_of == "" or _is_date(row.valid_as_of))
        and row.review_status in _STATUSES
    )


def _is_plain(text: str, max_chars: int) -> bool:
    # Printable: no control character to remove, no half of a surrogate pair, nothing that changes the direction.
    return (
        0 < len(text) <= max_chars
        and text.isprintable()
        and (not text.isspace() if text.isascii() else is_visible(text))
    )


@lru_cache(maxsize=4_096)
def _is_plain_unit(text: str) -> bool:
    return _is_plain(text, MAX_CODE_CHARS) and is_unit(text)


@lru_cache(maxsize=4_096)
def _is_period(kind: str, value: str) -> bool:
    return kind in _KINDS and is_period_value(_KINDS[kind], value)


@lru_cache(maxsize=4_096)
def _is_date(text: str) -> bool:
    try:
        _DATE.validate_python(text)
    except ValidationError:
        return False
    return True


def _problem(column: str, raw: Mapping[str, object], kind: str, message: str) -> Problem:
    if not column:  # a rule between columns: the only one is that the period fits its type
        return Problem("period", message.removeprefix("Value error, "))
    return Problem(column, reason_for(column, raw.get(column), kind, message))
