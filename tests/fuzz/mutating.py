"""Breaking a valid message: first its structure, then the text it is written as, then its bytes."""

import json
import re
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from tests.fuzz import hostile

_FIRST_NAME = re.compile(r'\{("[a-z_]+":)')
_ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "latin-1", "gb18030", "utf-8-sig", "utf-7")
_SHARDS = (b"\x00", b"\xff", b"NaN", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf5\x80\x80\x80", b"\xef\xbb\xbf", b'"', b"{",
           b"]", b"\\u", b"\\ud800", b",", b":", b"//", b"\r\n", b"1e999")  # fmt: skip


def broken(example: Any, random: Random) -> bytes:
    """A message made from a valid one; about one in ten stays as it is."""
    changed = deepcopy(example)
    for _ in range(random.choice((0, 1, 1, 1, 2, 2, 3, 5))):
        changed = _mutate(changed, random)
    body = written(changed, random)
    return shattered(body, random) if random.random() < 0.25 else body


def written(value: Any, random: Random) -> bytes:
    """As JSON, of which names may stand twice and numbers may be none."""
    text = json.dumps(value, ensure_ascii=random.random() < 0.3, separators=(",", ":"))
    text = hostile.RAW.sub(r"\1", text)
    if random.random() < 0.05:
        text = _FIRST_NAME.sub(r"{\1null,\1", text, count=random.choice((1, 2)))
    return text.encode("utf-8", "surrogatepass")


def shattered(body: bytes, random: Random) -> bytes:
    """The same bytes, damaged once or twice."""
    for _ in range(random.choice((1, 1, 2))):
        body = random.choice(_DAMAGES)(body, random)
    return body


def _mutate(value: Any, random: Random) -> Any:
    """One change at a place that is found by going down at random."""
    if isinstance(value, dict) and value and random.random() < 0.85:
        name = random.choice(list(value))
        return _change_in_object(value, name, random)
    if isinstance(value, list) and value and random.random() < 0.85:
        return _change_in_list(value, random.randrange(len(value)), random)
    if isinstance(value, str) and random.random() < 0.5:
        return _change_text(value, random)
    return hostile.value(random)


def _change_in_object(value: dict[str, Any], name: str, random: Random) -> Any:
    kind = random.random()
    if kind < 0.7:
        value[name] = _mutate(value[name], random)
    elif kind < 0.8:
        del value[name]
    elif kind < 0.9:
        value[hostile.name(random)] = hostile.value(random)
    else:
        value[name + random.choice(("_", " ", "\u200b", "A", ""))] = value.pop(name)
    return value


def _change_in_list(value: list[Any], place: int, random: Random) -> Any:
    kind = random.random()
    if kind < 0.7:
        value[place] = _mutate(value[place], random)
    elif kind < 0.8:
        del value[place]
    elif kind < 0.97:
        value.insert(place, hostile.value(random))
    else:
        return [value[place]] * random.choice((2, 25, 300, 1_001))
    return value


def _change_text(value: str, random: Random) -> str:
    place = random.randrange(len(value) + 1)
    kind = random.random()
    if kind < 0.5:
        return value[:place] + hostile.text(random) + value[place:]
    if kind < 0.7:
        return value[:place]
    if kind < 0.9:
        return value[:place] + value[place + 1 :]
    return value * random.choice((2, 5, 200))


def _cut(body: bytes, random: Random) -> bytes:
    return body[: random.randrange(len(body) + 1)]


def _flip(body: bytes, random: Random) -> bytes:
    if not body:
        return body
    place = random.randrange(len(body))
    return body[:place] + bytes([body[place] ^ (1 << random.randrange(8))]) + body[place + 1 :]


def _insert(body: bytes, random: Random) -> bytes:
    place = random.randrange(len(body) + 1)
    return body[:place] + random.choice(_SHARDS) + body[place:]


def _repeat(body: bytes, random: Random) -> bytes:
    start = random.randrange(len(body) + 1)
    end = min(len(body), start + random.randrange(1, 60))
    return body[:end] + body[start:end] * random.choice((1, 2, 50)) + body[end:]


def _recode(body: bytes, random: Random) -> bytes:
    return body.decode("utf-8", "replace").encode(random.choice(_ENCODINGS), "replace")


def _bury(body: bytes, random: Random) -> bytes:
    before, after = random.choice(((b"[", b"]"), (b'{"a":', b"}"), (b"[[", b"]]"), (b"[", b"")))
    depth = random.choice((1, 5, 100, 127, 128, 200, 3_000))
    return before * depth + body + after * depth


def _noise(body: bytes, random: Random) -> bytes:
    return random.randbytes(min(len(body), random.randrange(1, 200)) or 1)


_DAMAGES: tuple[Callable[[bytes, Random], bytes], ...] = (_cut, _flip, _insert, _repeat, _recode, _bury, _noise)
