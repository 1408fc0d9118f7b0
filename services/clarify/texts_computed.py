"""What an answer says about computed values, in Chinese, English and Italian; the other sentences are in `texts`.

A sentence brings no digit of its own: every digit of a computed line is a label or comes out of a calculation.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from contracts.codes import Locale


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputedWording:
    """The sentences of one language; `{names in braces}` are filled by `str.format`."""

    operand_only: str
    """Behind a figure that is shown although nothing could be computed from it."""
    change: str
    prior_year: str
    prior_period: str
    difference: str
    no_percentage: str
    ratio: str
    share: str
    highest_first: str
    lowest_first: str
    at_place: str
    tied_places: str
    """Behind an order in which equal figures stand."""
    together: str
    more: str
    less: str
    equal: str

    not_computed: str
    missing: str
    conflicting: str
    unavailable: str
    units_differ: str
    not_positive: str
    tied: str


_ZH: Final = ComputedWording(
    operand_only="，仅为计算所需的一项",
    change="{subject} 较 {base} {difference} {unit}{percent}",
    prior_year="同比：{change}",
    prior_period="环比：{change}",
    difference="差额：{change}",
    no_percentage="{base} 的数值不为正，不给出百分比。",
    ratio="计算：{entity} {period} {metric}{channel}：{value} {unit}（{numerator} ÷ {denominator}）",
    share="占比：{part} 占 {whole} 的 {value}%",
    highest_first="从高到低：{order}{tied}",
    lowest_first="从低到高：{order}{tied}",
    at_place="所问的是：{names}",
    tied_places="（“=”表示并列）",
    together="{names}（并列）",
    more=" > ",
    less=" < ",
    equal=" = ",
    not_computed="未计算：{reason}。为避免误导，不提供任何推测数字。",
    missing="{scope} 未在事实表中找到",
    conflicting="{scope} 的来源口径不一致",
    unavailable="{scope} 未能查询",
    units_differ="各项的单位不同",
    not_positive="{scope} 的数值不为正",
    tied="数值并列，所问的名次上没有",
)

_EN: Final = ComputedWording(
    operand_only=", only an operand",
    change="{subject} against {base} {difference} {unit}{percent}",
    prior_year="Year on year: {change}",
    prior_period="Against the period before: {change}",
    difference="Difference: {change}",
    no_percentage="{base} is not positive, so no percentage is given.",
    ratio="Computed: {entity} {period} {metric}{channel}: {value} {unit} ({numerator} ÷ {denominator})",
    share="Share: {part} is {value}% of {whole}",
    highest_first="From the highest: {order}{tied}",
    lowest_first="From the lowest: {order}{tied}",
    at_place="Asked for: {names}",
    tied_places=' ("=" means a tie)',
    together="{names} (tied)",
    more=" > ",
    less=" < ",
    equal=" = ",
    not_computed="Not computed: {reason}. So as not to mislead, no estimate is given.",
    missing="{scope} is not in the fact table",
    conflicting="the sources of {scope} disagree",
    unavailable="{scope} was not looked up",
    units_differ="the units differ",
    not_positive="{scope} is not positive",
    tied="equal figures leave nothing at the asked place",
)

_IT: Final = ComputedWording(
    operand_only=", solo un operando",
    change="{subject} rispetto a {base} {difference} {unit}{percent}",
    prior_year="Anno su anno: {change}",
    prior_period="Sul periodo precedente: {change}",
    difference="Differenza: {change}",
    no_percentage="{base} non è positivo, quindi non si dà alcuna percentuale.",
    ratio="Calcolo: {entity} {period} {metric}{channel}: {value} {unit} ({numerator} ÷ {denominator})",
    share="Quota: {part} è il {value}% di {whole}",
    highest_first="Dal più alto: {order}{tied}",
    lowest_first="Dal più basso: {order}{tied}",
    at_place="Richiesto: {names}",
    tied_places=" («=» indica parità)",
    together="{names} (a pari merito)",
    more=" > ",
    less=" < ",
    equal=" = ",
    not_computed="Non calcolato: {reason}. Per non indurre in errore non si dà alcuna stima.",
    missing="{scope} non è nella tabella dei fatti",
    conflicting="le fonti di {scope} non concordano",
    unavailable="{scope} non è stato consultato",
    units_differ="le unità sono diverse",
    not_positive="{scope} non è positivo",
    tied="valori uguali non lasciano nulla al posto richiesto",
)

COMPUTED: Final[Mapping[Locale, ComputedWording]] = MappingProxyType({Locale.ZH: _ZH, Locale.EN: _EN, Locale.IT: _IT})


def computed_wording(locale: Locale) -> ComputedWording:
    """The sentences about computed values in that language."""
    return COMPUTED[locale]
