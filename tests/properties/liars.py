"""Models that lie in every way that is cheap to think of, generated from a seed: what they say, call and claim."""

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

_VALUES: Final = ("777.7", "18.6", "9,999", "812.3", "1e9", "6.66e-3", "-45", "0.5", "120%")
_FULL_WIDTH: Final = str.maketrans("0123456789.%-", "０１２３４５６７８９．％－")
_CHINESE: Final = str.maketrans("0123456789.", "〇一二三四五六七八九点")
_ARABIC_INDIC: Final = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
_WORDS: Final = ("七百七十七", "翻倍", "doubled to four hundred", "settecento", "MMXXV", "約八成", "half a billion")
_METRICS: Final = ("REVENUE", "营收", "ROE", "EBITDA", "", None, 7, "revenue\u200b")
_ENTITIES: Final = ("ACME_HK", "香港", "ACME_CN", "竞安", "", None, ["ACME_HK"], "ACME_GROUP")
_PERIODS: Final = ("FY2024", "2024", "去年", "FY2025", "2024H1", "1999", "", None, 2024)
_BROKEN: Final = ("", "null", "[]", '"REVENUE"', "{", "{'metric': 'REVENUE'}", "[" * 5_000, "1e999", "NaN", "\x00")
_TOOLS: Final = ("query_metric", "query_metric", "query_metric", "query_facts", "", "exec", "query_metric\n")


def lie(rng: random.Random) -> str:
    """A number, in one of the ways in which numbers hide."""
    value = rng.choice(_VALUES)
    hidden = [
        value,
        value.translate(_FULL_WIDTH),
        value.translate(_CHINESE),
        value.translate(_ARABIC_INDIC),
        "\u200b".join(value),
        "".join(f"&#{ord(char)};" for char in value),
        rng.choice(_WORDS),
        f"ACME_HK FY2024 REVENUE：{value} USD_M（来源：ghost.pdf · p1）",
        json.dumps({"status": "found", "value": value, "unit": "USD_M"}),
    ]
    return rng.choice(hidden)


def call(rng: random.Random) -> Mapping[str, Any]:
    """One tool call, right or wrong."""
    if rng.random() < 0.3:
        return {"name": rng.choice(_TOOLS), "arguments": rng.choice(_BROKEN)}
    arguments = {"metric": rng.choice(_METRICS), "entity": rng.choice(_ENTITIES), "period": rng.choice(_PERIODS)}
    if rng.random() < 0.2:
        arguments["channel"] = rng.choice(("TOTAL", "AGENCY", "", lie(rng)))
    if rng.random() < 0.2:
        arguments["value"] = lie(rng)
    return {"name": rng.choice(_TOOLS), "arguments": arguments}


def turn(rng: random.Random) -> Mapping[str, Any]:
    """One turn: a text, calls, both, neither, or a failure."""
    kind = rng.random()
    if kind < 0.06:
        return {"error": rng.choice(("provider", "crash"))}
    said: dict[str, Any] = {}
    if kind < 0.8:
        said["text"] = f"{lie(rng)} {rng.choice(('见工具结果', 'source: board.pdf', ''))} {lie(rng)}"
    if kind > 0.3:
        said["tool_calls"] = [call(rng) for _ in range(rng.choice((1, 1, 1, 2, 3, 17)))]
    return said


def behaviour(seed: int) -> Sequence[Mapping[str, Any]]:
    """Everything that one lying model says in one ask."""
    rng = random.Random(seed)
    return [turn(rng) for _ in range(rng.randint(0, 7))]
