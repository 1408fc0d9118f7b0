"""Planted texts, and the search for them in everything that operators, log readers and strangers can see.

A hit is a leak: the text of a question, an answer, a value, a source or a key, where only codes and counts belong.
"""

import base64
import json
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

Place = tuple[str, bytes]
"""Where something was seen, and what."""


@dataclass(frozen=True)
class Canary:
    """A text that occurs nowhere but where it was planted."""

    kind: str
    text: str


@dataclass(frozen=True)
class Leak:
    """A planted text in a place where it may not be."""

    kind: str
    where: str


def word(kind: str) -> Canary:
    """A canary that reads as one Latin word."""
    return Canary(kind, f"Canary{kind.title()}{secrets.token_hex(6)}")


def sentence(kind: str) -> Canary:
    """A canary of ideographs beside a random word, as a passage or a question holds them."""
    return Canary(kind, f"金丝雀{secrets.token_hex(6)}泄漏")


def letters(kind: str) -> Canary:
    """A canary of ideographs beside random letters: no digit in it could be read as one."""
    return Canary(kind, f"金丝雀{''.join(secrets.choice('bcdfgjkmnpqrtvwxz') for _ in range(14))}泄漏")


def number(kind: str) -> Canary:
    """A canary that reads as the digits of a fact."""
    return Canary(kind, f"{secrets.randbelow(9 * 10**8) + 10**8}.{secrets.randbelow(9 * 10**3) + 10**3}")


def search(places: Iterable[Place], canaries: Iterable[Canary]) -> list[Leak]:
    """Every planted text in every place, however it is spelled there."""
    wanted = [(canary.kind, spelling.lower()) for canary in canaries for spelling in spellings(canary.text)]
    found: list[Leak] = []
    for where, content in places:
        folded = content.lower()
        found += [Leak(kind, where) for kind, spelling in wanted if spelling in folded]
    return list(dict.fromkeys(found))


def spellings(text: str) -> set[bytes]:
    """How a text may be written: as it is, escaped, encoded, grouped by thousands."""
    raw = text.encode()
    forms = {text, json.dumps(text)[1:-1], quote(text), quote(text, safe=""), repr(raw)[2:-1], _grouped(text)}
    return {form.encode() for form in forms} | {raw.hex().encode(), text.encode("utf-16-le")} | set(_base64(raw))


def files_below(folder: Path, *, but_not: Iterable[Path] = ()) -> Iterator[Place]:
    """Every file of a folder, links not followed, except those below `but_not`."""
    excluded = tuple(but_not)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and not any(path.is_relative_to(other) for other in excluded):
            yield str(path.relative_to(folder)), path.read_bytes()


def _grouped(text: str) -> str:
    whole, dot, rest = text.partition(".")
    return f"{int(whole):,}{dot}{rest}" if whole.isdecimal() else text


def _base64(raw: bytes) -> Iterator[bytes]:
    """The part that stays the same wherever the text begins inside what is encoded."""
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + raw)
        yield encoded[4 if offset else 0 : len(encoded) - 4]
