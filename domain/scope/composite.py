"""What still counts in a composite question, where most words belong to the narrative part.

The figure that is shown is that of the slots: a word that says how much it changed, of which part, or of when, is no
free word of the narrative.
"""

import re
from collections.abc import Sequence
from typing import Final

from domain.fold import is_ideographic
from domain.scope.segments import Part, Segment
from domain.text import Text
from domain.vocabulary import Role

# These count only directly before a metric: "主要原因" is free, "主要营收" is not.
_LOOSE_ROLES: Final = frozenset({Role.CONDITION, Role.OTHER_QUESTION, Role.RANKING, Role.REFERENCE})
# Parts of a company, but of reasons and circumstances as well: free unless a slot follows.
_LOOSE_PARTS: Final = frozenset(
    {
        *("another", "certain", "different", "direct", "external", "global", "indirect", "industry", "main", "major"),
        *("market", "markets", "new", "other", "others", "part", "some", "world"),
        *("altra", "altre", "altri", "altro", "mercato", "nuova", "nuovi", "nuovo", "principale", "principali"),
        *("settore", "主要", "全球", "其他", "其它", "外部", "市场", "新", "直接", "行业", "部分", "间接"),
    }
)
_SLOTS: Final = frozenset({Part.CHANNEL, Part.ENTITY, Part.METRIC})
_WHOSE: Final = frozenset({"at", "by", "dei", "del", "della", "di", "for", "from", "in", "of", "per", "在"})
_COPULAS: Final = frozenset({"为", "了", "是"})
_ASKS: Final = frozenset({"did", "does", "do", "è", "sono", "ha", "has", "have"})
_YEAR_OR_QUARTER: Final = re.compile(r"(?:19|20)\d{2}|[qh]\d|\d[qh]")


_TIME_WORDS: Final = frozenset(
    {
        *("10", "a", "after", "ago", "anni", "anno", "at", "before", "beginning", "day", "days", "del", "dopo"),
        *("during", "early", "end", "few", "fine", "fino", "first", "half", "in", "inizio", "k", "last", "late"),
        *("lately", "latest", "mesi", "metà", "mid", "middle", "month", "months", "most", "of", "on", "one"),
        *("ones", "onwards", "over", "past", "previous", "prima", "prior", "q", "quarter", "quarters", "recent"),
        *("recente", "recenti", "recently", "several", "since", "start", "the", "these", "this", "those", "time"),
        *("trimestri", "ultimi", "until", "up", "week", "weeks", "year", "years"),
        *("一直", "上", "中", "之前", "之后", "以前", "以后", "以来", "内", "初", "前", "前期", "年", "年初"),
        *("年来", "开始", "最近", "期间", "至今", "起", "过去", "近年", "近年来", "近期", "近来"),
    }
)
_DATED: Final = re.compile(r"(?:19|20)\d{2}s?|[qh][1-4]|\d[qh]")
_PIECES: Final = re.compile(r"[a-zà-ÿ]+\d*|\d+[a-z]*|[一-鿿]+")


def names_a_time(words: str) -> bool:
    """Whether what was not understood only says when: "before 2024", "over the previous quarters", "2023年以前"."""
    pieces = _PIECES.findall(words.casefold())
    return bool(pieces) and all(piece in _TIME_WORDS or _DATED.fullmatch(piece) for piece in pieces)


def is_free_in_composite(segments: Sequence[Segment], i: int) -> bool:
    """Whether a qualifier may belong to the narrative part, where no metric follows at once."""
    segment = segments[i]
    if segment.role is Role.PART:
        before_slot = i + 1 < len(segments) and segments[i + 1].part in _SLOTS
        return segment.key in _LOOSE_PARTS and not before_slot
    return segment.role in _LOOSE_ROLES or (len(segment) == 1 and is_ideographic(segment.key))


def asks_how_much(segments: Sequence[Segment], i: int) -> bool:
    """Whether the amount of a change is asked for, not its reason: "下降了多少", "by how much", "di quanto è sceso"."""
    ahead = next((s for s in segments[i + 1 : i + 3] if s.key not in _COPULAS), None)
    if ahead is not None and ahead.role is Role.NUMERIC_CUE and is_ideographic(ahead.key[0]):
        return True
    for k, segment in enumerate(segments):
        if segment.role is Role.NUMERIC_CUE and not is_ideographic(segment.key[0]):
            before = segments[k - 1].key if k else ""
            behind = segments[k + 1].key if k + 1 < len(segments) else ""
            if before in {"by", "di"} or behind in _ASKS:
                return True
    return False


def is_of_the_metric(segments: Sequence[Segment], i: int) -> bool:
    """Whether unknown words stand behind "of", directly behind a metric or its period: "the revenue of widgets"."""
    if i < 2 or segments[i - 1].key not in _WHOSE:
        return False
    return segments[i - 2].part in {Part.METRIC, Part.PERIOD}


def reads_as_period(text: Text, segments: Sequence[Segment], i: int) -> bool:
    """Whether unknown letters are a period that was not read, or narrow the one behind them: "early 2024"."""
    segment = segments[i]
    if _YEAR_OR_QUARTER.search(text.letters.text[segment.first : segment.behind]):
        return True
    return i + 1 < len(segments) and segments[i + 1].part is Part.PERIOD
