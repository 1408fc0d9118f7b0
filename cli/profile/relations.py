"""What the figures themselves prove about two line items of one table.

A column of percentages whose base reads 100 throughout gives every line as a percentage of that base. Lines that add up
to the line below them, in every column, are parts of it. Anything less is a guess and is not said.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Final

from cli.profile.labels import is_generic
from cli.profile.tables import FactLine, Scope
from domain.profile import RATE_UNITS

Relation = dict[str, dict[str, str]]
"""By metric and entity: the other metric."""

_PLACE: Final = re.compile(r"(?:^|,)table=(?P<table>\d+),row=(?P<row>\d+)(?!\d)")
_WHOLE: Final = Decimal(100)
_LEAST_COLUMNS: Final = 2
_LEAST_PARTS: Final = 2


@dataclass(slots=True)
class _Row:
    """One line of a table, with its figure in each column."""

    number: int
    metric: str
    label: str
    unit: str
    figures: dict[Scope, Decimal] = field(default_factory=dict[Scope, Decimal])


def percentages(facts: Sequence[FactLine], leader: Callable[[str], str]) -> Relation:
    """Which metrics are stored as the percentage of which other one, by entity."""
    found: Relation = defaultdict(dict)
    for entity, lines in _by_entity(facts).items():
        rates = [line for line in lines if line.unit in RATE_UNITS]
        others = {leader(line.metric) for line in lines if line.unit not in RATE_UNITS}
        base = _base_of(rates, leader)
        for metric in dict.fromkeys(leader(line.metric) for line in rates) if base else ():
            if metric != base and metric not in others:
                found[metric][entity] = base
    return found


def _base_of(rates: Sequence[FactLine], leader: Callable[[str], str]) -> str:
    """The one metric that is 100 wherever the entity has percentages at all; empty where there is none."""
    figures: dict[str, dict[Scope, set[Decimal | None]]] = defaultdict(lambda: defaultdict(set))
    for line in rates:
        figures[leader(line.metric)][line.scope].add(_number(line.value))
    scopes = {line.scope for line in rates}
    bases = [m for m, by in figures.items() if by.keys() == scopes and all(v == {_WHOLE} for v in by.values())]
    return bases[0] if len(bases) == 1 and len(figures) > 1 else ""


def parts(facts: Sequence[FactLine], leader: Callable[[str], str]) -> Relation:
    """Which metrics add up to which other one, by entity. A metric in two tables of an entity is in neither."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    tables: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for (entity, *table), rows in _tables(facts).items():
        for row in rows:
            tables[leader(row.metric), entity].add((table[0], table[1]))
        for total, block in _sums(rows):
            for row in block:
                found[leader(row.metric), entity].add(leader(total.metric))
    relation: Relation = defaultdict(dict)
    for (metric, entity), totals in found.items():
        if len(totals) == 1 and len(tables[metric, entity]) == 1 and metric not in totals:
            relation[metric][entity] = next(iter(totals))
    return relation


def _tables(facts: Sequence[FactLine]) -> Mapping[tuple[str, str, str], list[_Row]]:
    """The rows of every table whose locators say where they stand, in order."""
    rows: dict[tuple[str, str, str], dict[int, _Row]] = defaultdict(dict)
    for line in facts:
        place, number = _PLACE.search(line.locator), _number(line.value)
        if place is None or number is None:
            continue
        at = int(place["row"])
        row = rows[line.entity, line.document, place["table"]].setdefault(
            at, _Row(at, line.metric, line.metric_label, line.unit)
        )
        row.figures[line.scope] = number
    return {table: [by_number[n] for n in sorted(by_number)] for table, by_number in rows.items()}


def _sums(rows: Sequence[_Row]) -> Iterator[tuple[_Row, Sequence[_Row]]]:
    """Every named row that is the sum of the rows directly above it, in at least two columns, with those rows."""
    for end, total in enumerate(rows):
        if is_generic(total.label) or len(total.figures) < _LEAST_COLUMNS or not any(total.figures.values()):
            continue
        blocks = (rows[start:end] for start in range(end - _LEAST_PARTS, -1, -1))
        block = next((block for block in blocks if _adds_up(total, block)), None)
        if block is not None:
            yield total, block


def _adds_up(total: _Row, block: Sequence[_Row]) -> bool:
    if any(row.unit != total.unit or not row.figures.keys() >= total.figures.keys() for row in block):
        return False
    return all(figure == sum((row.figures[at] for row in block), Decimal()) for at, figure in total.figures.items())


def _by_entity(facts: Iterable[FactLine]) -> Mapping[str, list[FactLine]]:
    lines: dict[str, list[FactLine]] = defaultdict(list)
    for line in facts:
        lines[line.entity].append(line)
    return lines


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None
