"""Asks as rows: the columns, and reading them."""

from typing import Final

from contracts.codes import AskState
from runtime.postgres import Record
from services.gateway.asks.records import Ask, Name

COLUMNS: Final = (
    "app, ask_id, place, body, trace, state, code, attempts, waits, faults, cardinality(unreported) AS unreported, "
    "accepted_at, queued_at, finished_at, final"
)


def ask_of(row: Record) -> Ask:
    """The ask of a row that has `COLUMNS`."""
    return Ask(
        name=name_of(row),
        place=row["place"],
        body=row["body"],
        trace=row["trace"],
        state=AskState(row["state"]),
        code=row["code"],
        attempts=row["attempts"],
        waits=row["waits"],
        faults=row["faults"],
        unreported=row["unreported"],
        accepted_at=row["accepted_at"],
        queued_at=row["queued_at"],
        finished_at=row["finished_at"],
        final=row["final"],
    )


def name_of(row: Record) -> Name:
    """The identity in a row."""
    return Name(row["app"], row["ask_id"])
