"""Items as rows: the columns, and reading and writing them."""

import json
from typing import Any, Final

from contracts.codes import FaqState, Locale
from contracts.v1.faq import FaqDependency
from runtime.postgres import Record
from services.gateway.faq.items import Item

COLUMNS: Final = (
    *("id", "question", "aliases", "answer", "source", "version", "owner", "state", "valid_from", "valid_until"),
    *("sensitivity", "locale", "depends_on", "policy_number", "verified_by", "verified_at", "facts_seen"),
    *("approved_change", "revision"),
)

SELECT: Final = f"SELECT {', '.join(COLUMNS)}, updated_at FROM faq.item"  # noqa: S608 - constants only

UPSERT: Final = f"""
INSERT INTO faq.item ({", ".join(COLUMNS)})
VALUES ({", ".join(f"${i}" for i in range(1, len(COLUMNS) + 1))})
ON CONFLICT (id) DO UPDATE SET
    {", ".join(f"{name} = EXCLUDED.{name}" for name in COLUMNS[1:])}, updated_at = now()
"""  # noqa: S608 - constants only


def item_of(row: Record) -> Item:
    """The item of a row of `SELECT`."""
    values: dict[str, Any] = dict(row)
    values["aliases"] = tuple(values["aliases"])
    values["state"] = FaqState(values["state"])
    values["locale"] = Locale(values["locale"]) if values["locale"] else None
    values["depends_on"] = tuple(FaqDependency.model_validate(one) for one in json.loads(values["depends_on"]))
    return Item(**values)


def values_of(item: Item) -> list[object]:
    """The values of `UPSERT`."""
    return [_value(item, name) for name in COLUMNS]


def _value(item: Item, name: str) -> object:
    if name == "depends_on":
        return json.dumps([one.model_dump() for one in item.depends_on], ensure_ascii=False)
    if name == "aliases":
        return list(item.aliases)
    return getattr(item, name)
