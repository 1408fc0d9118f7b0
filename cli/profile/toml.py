"""Writes the tables of a profile as TOML that a person can read and edit."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

_LINE_CHARS: Final = 120

Table = Mapping[str, object]


def write_toml(heading: Sequence[str], tables: Mapping[str, Table]) -> str:
    """TOML text: comment lines, then every table under its own heading, those inside of it after it."""
    lines = [f"# {line}" if line else "#" for line in heading]
    for name, table in tables.items():
        lines += _table((name,), table)
    return "\n".join(lines) + "\n"


def _table(path: tuple[str, ...], table: Table) -> Iterator[str]:
    inner = {key: cast(Table, value) for key, value in table.items() if isinstance(value, Mapping)}
    plain = {key: value for key, value in table.items() if key not in inner}
    if plain or (len(path) > 1 and not inner):
        yield from ("", f"[{'.'.join(map(_key, path))}]", *_pairs(plain))
    for key, value in inner.items():
        yield from _table((*path, key), value)


def _pairs(table: Table) -> list[str]:
    return [f"{_key(key)} = {_value(value)}" for key, value in table.items()]


def _value(value: object) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Sequence):
        items = [_value(item) for item in cast(Sequence[object], value)]
        line = f"[{', '.join(items)}]"
        return line if len(line) <= _LINE_CHARS else "\n".join(["[", *(f"  {item}," for item in items), "]"])
    return json.dumps(value)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: str) -> str:
    plain = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if plain else _text(key)
