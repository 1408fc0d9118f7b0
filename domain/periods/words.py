"""The words of periods in Chinese, English and Italian, as tables and as pieces of patterns.

All are written as they look in the matching view of `domain.fold`. Pieces hold no group and no nested repetition.
"""

from typing import Final

BLANK: Final = r"\s{0,3}"
YEAR: Final = r"(?:19|20)\d\d"
TICK: Final = r"['’‘`]"
DASH: Final = r"[-–—‐‑−~〜]"
NOT_AFTER_WORD: Final = r"(?<![a-zà-öø-ÿ0-9_])"
NOT_BEFORE_WORD: Final = r"(?![a-zà-öø-ÿ0-9_])"

# A number begins where no other number, word or sign of money runs into it: `2018,2019` and `Q1,2024` are lists,
# `2,024` is one number.
NUMBER_LEFT: Final = r"(?<![a-zà-öø-ÿ0-9_$€£¥#])(?<![a-z]-)(?<!\d\.)" + "".join(
    rf"(?<!(?<![\dqh])\d{{{n}}}[,\-])" for n in (1, 2, 3)
)
_MEASURE_ZH: Final = (
    r"[万亿千百]?(?:元(?!祖)|美元|港元|欧元|人(?![寿民福])|名(?=[员职人股客学研技销])|个(?![人股])|家(?![电居具乐庭联])"
    r"|户|股(?![本东份票价权息])|吨|台(?![湾州积])|件|次(?![年新])|号|位|倍|块|辆|套|米(?!其)|公里|平方)"
)
_MEASURE_EN: Final = (
    r"(?:employees|people|persons|units|stores|dollars|euros?|usd|rmb|cny|hkd|million|billion|thousand|percent|pcs)"
    + NOT_BEFORE_WORD
)
YEAR_RIGHT: Final = (
    r"(?![0-9a-z_%])(?!\.\d)(?!,\d{1,3}(?!\d))(?!-(?!fy)[a-z])(?![-/](?!(?:19|20)\d\d(?!\d))\d)"
    rf"(?!{BLANK}{_MEASURE_ZH})(?! {{0,2}}{_MEASURE_EN})"
)

CJK_DIGITS: Final = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "○": 0, "两": 2, "十": 10}

_MONTHS: Final = (
    ("january", "jan", "gennaio", "gen"),
    ("february", "feb", "febbraio"),
    ("march", "mar", "marzo"),
    ("april", "apr", "aprile"),
    ("may", "maggio", "mag"),
    ("june", "jun", "giugno", "giu"),
    ("july", "jul", "luglio", "lug"),
    ("august", "aug", "agosto", "ago"),
    ("september", "sept", "sep", "settembre", "set"),
    ("october", "oct", "ottobre", "ott"),
    ("november", "nov", "novembre"),
    ("december", "dec", "dicembre", "dic"),
)
MONTH_NUMBERS: Final = {name: i for i, names in enumerate(_MONTHS, start=1) for name in names}
MONTH_NAME: Final = "(?:" + "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True)) + r")\.?"
MONTH_STEMS: Final = tuple(n for n in MONTH_NUMBERS if not any(n != other and other in n for other in MONTH_NUMBERS))
"""One of these is in every name of a month."""
MONTHS_THAT_NEED_A_YEAR: Final = frozenset(n for n in MONTH_NUMBERS if len(n) <= 4) - {"june", "july"} | {"march"}
"""Short forms, and names that are ordinary words too: a month only beside a year."""

ORDINALS: Final = {
    **{w: 1 for w in ("first", "1st", "primo", "1°", "1o", "i", "1", "一", "首", "one")},
    **{w: 2 for w in ("second", "2nd", "secondo", "2°", "2o", "ii", "2", "二", "两", "two")},
    **{w: 3 for w in ("third", "3rd", "terzo", "3°", "3o", "iii", "3", "三", "three")},
    **{w: 4 for w in ("fourth", "4th", "quarto", "4°", "4o", "iv", "4", "四", "four")},
}
ORDINAL_EN: Final = r"(?:first|second|third|fourth|1st|2nd|3rd|4th)"
ORDINAL_IT: Final = r"(?:primo|secondo|terzo|quarto|[1-4][°o]|iii|ii|iv|i)"

COUNTS: Final = {
    **{w: 2 for w in ("two", "due", "两", "二")},
    **{w: 3 for w in ("three", "tre", "三")},
    **{w: 4 for w in ("four", "quattro", "四")},
    **{w: 5 for w in ("five", "cinque", "五")},
    **{w: 6 for w in ("six", "sei", "六")},
    **{w: 7 for w in ("seven", "sette", "七")},
    **{w: 8 for w in ("eight", "otto", "八")},
    **{w: 9 for w in ("nine", "nove", "九")},
    **{w: 10 for w in ("ten", "dieci", "十")},
    **{w: 12 for w in ("twelve", "dodici", "十二")},
}
COUNT_ZH: Final = r"(?:[两二三四五六七八九十]|\d{1,2})"
COUNT_EN: Final = r"(?:two|three|four|five|six|seven|eight|nine|ten|twelve|\d{1,2})"
COUNT_IT: Final = r"(?:due|tre|quattro|cinque|sei|sette|otto|nove|dieci|dodici|\d{1,2})"


def count_of(word: str) -> int:
    """The number that a count word or its digits mean."""
    return int(word) if word.isdigit() else COUNTS[word]


def month_of(word: str) -> int:
    """The month that a name, a number or a Chinese numeral means; 0 where it means none."""
    word = word.removesuffix(".")
    if word in MONTH_NUMBERS:
        return MONTH_NUMBERS[word]
    number = int(word) if word.isdigit() else sum(CJK_DIGITS[c] for c in word)
    return number if 1 <= number <= 12 else 0


def digits_of(word: str) -> str:
    """Chinese numerals written digit by digit, as ASCII digits."""
    return "".join(str(CJK_DIGITS[c]) if c in CJK_DIGITS else c for c in word)
