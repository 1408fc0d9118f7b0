"""Values that have broken readers before: long, deep, invisible, reordered, not finite, not Unicode."""

import re
from random import Random
from typing import Any

from tests.fuzz.payloads import MARK

RAW = re.compile(r'"@raw@([^@]*)@"')


def raw(text: str) -> str:
    """Stands in JSON as it is, whether that is JSON or not, once `RAW` has taken its signs away."""
    return f"@raw@{text}@"


NUMBERS = (
    0, -1, 1, 24, 25, 1_000, 1_001, 2**31, 2**53, 2**63, -(2**63), 2**64, 10**30, 0.1, 1320.10, -0.0, 1e308,
    *(raw(text) for text in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e1000000", "0e0", "01", "+1", ".5")),
    *(raw(text) for text in ("1.", "0x10", "1_000", "9" * 400, "9" * 5_000, "-0", "1E400", "1320.100000000000000001")),
)  # fmt: skip
TEXTS = (
    "", " ", "\x00", "\x00\x01\x1b[2J", "\ud800", "\udfff", "a\ud83d", "\u202eabc", "\u2066x\u2069", "\u200b", "\ufeff",
    "\u3164", "\u2800", "\u0301" * 50, "e\u0301", "Ω", "ﷺ" * 30, "𝟙𝟛𝟚𝟘", "１３２０", "一千三百二十", "٣٢", "½", "①",
    "香港2024营收", "中国内地FY2024的REVENUE是多少", "竞安的营收", "j\u200bi\u200bn\u200bg\u200ba\u200bn", "jıngan",
    "1e1000000", "NaN", "Infinity", "-0", "1_000", "0x1F", "1,320.5", "1.320,5", "9" * 60, "0." + "0" * 40 + "1",
    "2024-02-30", "0000-00-00", "9999-12-31", "2024-13-01", "20240101", "2024-01-01T00:00:00Z", "FY2024", "2024H3",
    "2024Q5YTD", "FY99999999999", "近三年", "1900到2100", "${jndi:ldap://x}", "'; DROP TABLE facts; --", "{{7*7}}",
    "<script>alert(1)</script>", "&#x6a;ingan", "%6a%69", "../../etc/passwd", "\r\nSet-Cookie: a=b", "=cmd|' /C'!A0",
    MARK, f"{MARK}\x00", f"{MARK}香港", f"营收{MARK}的FY2024", f"1320{MARK}", f"\u202e{MARK}", f"{MARK}\ud800",
)  # fmt: skip
_NAMES = (
    "id", "__proto__", "__class__", "constructor", "", "\x00", "a" * 300, "关键", "self", "model_config", "\u202e",
    "\ud800", "question", "facts", "value", "0", "items", "$ref", " ",
)  # fmt: skip
_LETTERS = (
    "aA9 .,-%/\\\"'营收港年億萬一二〇零\u200b\u200d\u0301\u0131\u0430\ufe0f\u202d🎉\U0001d7ce\U000e0041\n\t\x7f\x85"
)


def number(random: Random) -> Any:
    return random.choice(NUMBERS)


def text(random: Random) -> str:
    """A text that means harm, or a run of odd letters, seldom a very long one."""
    kind = random.random()
    if kind < 0.6:
        return random.choice(TEXTS)
    if kind < 0.97:
        return "".join(random.choices(_LETTERS, k=random.randrange(1, 40)))
    return random.choice(TEXTS) * random.choice((10, 300, 2_001))


def value(random: Random, depth: int = 3) -> Any:
    """Any JSON value, or what is written like one."""
    kind = random.random()
    if kind < 0.4:
        return text(random)
    if kind < 0.65:
        return number(random)
    if kind < 0.8 or depth == 0:
        return random.choice((None, True, False, [], {}, [[]], [None], {"": None}))
    if kind < 0.9:
        return [value(random, depth - 1) for _ in range(random.randrange(4))]
    return {name(random): value(random, depth - 1) for _ in range(random.randrange(4))}


def name(random: Random) -> str:
    """A name in an object; it may be shown to the caller, so it holds no mark."""
    return random.choice(_NAMES)
