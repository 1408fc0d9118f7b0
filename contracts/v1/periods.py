"""A period, as stored and as asked."""

import re
from typing import Final, Self

from pydantic import model_validator

from ..codes import PeriodType
from .base import Code, InternalMessage

PERIOD_PATTERNS: Final[dict[PeriodType, re.Pattern[str]]] = {
    PeriodType.FY: re.compile(r"\d{4}"),
    PeriodType.HY: re.compile(r"\d{4}H[12]"),
    PeriodType.QUARTER: re.compile(r"\d{4}Q[1-4]"),
    PeriodType.MONTH: re.compile(r"\d{4}M(0[1-9]|1[0-2])"),
    PeriodType.YTD: re.compile(r"\d{4}Q[1-4]YTD"),
}
"""How the value of each kind of period is written."""


def is_period_value(kind: PeriodType, value: str) -> bool:
    """Whether `value` is written as a period of that kind (ASCII digits only)."""
    return value.isascii() and PERIOD_PATTERNS[kind].fullmatch(value) is not None


def stored_period(text: str) -> str:
    """A period as it is stored, whichever kind it is: `2024` for `FY2024`. Raises `ValueError` where it is none."""
    value = text.strip().upper().removeprefix("FY")
    if not any(is_period_value(kind, value) for kind in PeriodType):
        raise ValueError("a period is written 2024, 2024H1, 2024Q3, 2024M10 or 2024Q3YTD")
    return value


class Period(InternalMessage):
    """A period: its kind and its value, for example `FY` and `2024`, or `QUARTER` and `2024Q3`."""

    type: PeriodType
    value: Code

    @model_validator(mode="after")
    def _well_formed(self) -> Self:
        if not is_period_value(self.type, self.value):
            raise ValueError(f"not a period of type {self.type}")
        return self

    @property
    def label(self) -> str:
        """The period as shown in an answer: `FY2024` for a fiscal year, else as stored."""
        return f"FY{self.value}" if self.type is PeriodType.FY else self.value
