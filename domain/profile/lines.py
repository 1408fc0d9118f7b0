"""Where each key of a TOML text stands, and how it is written: for messages that a person can act on.

Meant for texts that `tomllib` has accepted already; it finds lines and does not judge.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Final

KeyPath = tuple[str | int, ...]

_KEY: Final = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'|[A-Za-z0-9_-]+')
_STRING: Final = re.compile(r'"""(?:\\.|[^\\])*?"""+|\'\'\'.*?\'\'\'+|"(?:\\.|[^"\\])*"|\'[^\']*\'', re.DOTALL)
_SCALAR: Final = re.compile(r"[^,\]}#\n]+")
_NOTHING: Final = re.compile(r"(?:\s|#[^\n]*)*")


def key_lines(source: str) -> Mapping[KeyPath, int]:
    """The line, counted from 1, of every table, key and array element of a valid TOML text."""
    return _Scanner(source).scan()


def line_of(path: KeyPath, lines: Mapping[KeyPath, int]) -> int | None:
    """The line of a key, else of the first key inside it, else of the table around it; None for the whole text."""
    while path:
        inside = [line for known, line in lines.items() if known[: len(path)] == path]
        if inside:
            return lines.get(path, min(inside))
        path = path[:-1]
    return None


def dotted(path: KeyPath) -> str:
    """A key as TOML writes it, array elements counted from 0 in brackets."""
    written = "".join(f"[{step}]" if isinstance(step, int) else f".{_quoted(step)}" for step in path)
    return written.removeprefix(".") or "profile"


def _quoted(key: str) -> str:
    plain = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    return key if plain else json.dumps(key, ensure_ascii=False)


class _Scanner:
    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._lines: dict[KeyPath, int] = {}

    def scan(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        self._skip()
        while self._at < len(self._source):
            if self._source[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip()
        return self._lines

    def _skip(self) -> None:
        match = _NOTHING.match(self._source, self._at)
        self._at = match.end() if match else self._at

    def _note(self, path: KeyPath) -> None:
        self._lines.setdefault(path, self._source.count("\n", 0, self._at) + 1)

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._source, self._at)
        if match is None:
            raise ValueError("not a TOML text")
        self._at = match.end()
        return match[0]

    def _sign(self, signs: str) -> bool:
        """Step over the next character when it is one of these."""
        self._skip()
        found = self._source.startswith(tuple(signs), self._at)
        self._at += found
        return found

    def _header(self) -> KeyPath:
        start, self._at = self._at, self._at + 1
        array = self._sign("[")
        path = self._dotted()
        if array:
            path = (*path, sum(1 for known in self._lines if known[:-1] == path and known[-1:] != path[-1:]))
        self._at, behind = start, self._at
        self._note(path)
        self._at = behind
        while self._sign("]"):
            pass
        return path

    def _dotted(self) -> KeyPath:
        self._skip()
        parts = [self._key()]
        while self._sign("."):
            self._skip()
            parts.append(self._key())
        return tuple(parts)

    def _key(self) -> str:
        text = self._take(_KEY)
        return str(tomllib.loads(f"key = {text}")["key"]) if text[0] in "\"'" else text

    def _pair(self, table: KeyPath) -> None:
        self._skip()
        start = self._at
        path = (*table, *self._dotted())
        self._at, behind = start, self._at
        self._note(path)
        self._at = behind
        self._sign("=")
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        self._skip()
        if self._sign("["):
            self._array(path)
        elif self._sign("{"):
            self._inline(path)
        else:
            self._take(_STRING if self._source[self._at] in "\"'" else _SCALAR)

    def _array(self, path: KeyPath) -> None:
        index = 0
        while not self._sign("]"):
            self._note((*path, index))
            self._value((*path, index))
            self._sign(",")
            index += 1

    def _inline(self, path: KeyPath) -> None:
        while not self._sign("}"):
            self._pair(path)
            self._sign(",")
