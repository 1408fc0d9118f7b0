"""Words that ask for what holds at this moment: an answer that was vetted earlier cannot know it.

Chinese cues count wherever their letters stand in a row; all others as whole words. When in doubt a cue is seen: the
question then takes the normal path, which only costs time.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from domain.fold import folded_text, is_ideographic

_ZH: Final = (
    *("今天", "今日", "今晚", "今早", "今晨", "今夜", "今儿", "今次", "今年", "今明", "当今", "现今", "如今", "至今"),
    *(
        "本日",
        "本周",
        "本星期",
        "本礼拜",
        "本月",
        "本季",
        "本年",
        "本期",
        "本次",
        "这周",
        "这星期",
        "这礼拜",
        "这个星期",
    ),
    *(
        "这个礼拜",
        "这个月",
        "这月",
        "这季",
        "这个季",
        "这几天",
        "这几日",
        "这段时间",
        "这两天",
        "这一周",
        "这会儿",
        "这阵子",
    ),
    *(
        "上周",
        "上星期",
        "上个星期",
        "上礼拜",
        "上个礼拜",
        "上月",
        "上个月",
        "上季",
        "下周",
        "下星期",
        "下个星期",
        "下礼拜",
    ),
    *(
        "下个礼拜",
        "下月",
        "下个月",
        "下季",
        "下一期",
        "下一次",
        "下次",
        "周末",
        "昨天",
        "昨日",
        "昨晚",
        "前天",
        "明天",
        "明日",
    ),
    *(
        "明早",
        "明晚",
        "明年",
        "去年",
        "后天",
        "近期",
        "近日",
        "近来",
        "近况",
        "近几天",
        "近几日",
        "最近",
        "最新",
        "最晚近",
    ),
    *("当前", "当下", "当天", "当日", "当晚", "当月", "当季", "目前", "眼下", "眼前", "现在", "现时", "现阶段", "现任"),
    *(
        "现价",
        "现况",
        "此刻",
        "此时",
        "此际",
        "即时",
        "即刻",
        "即将",
        "马上",
        "立刻",
        "实时",
        "同步更新",
        "随时",
        "刚刚",
    ),
    *("刚才", "刚刚", "正在", "进行中", "截至", "截止目前", "截止今", "迄今", "新近", "新出", "滚动", "时下", "时价"),
    *(
        "股价",
        "股票",
        "市价",
        "市值",
        "行情",
        "收盘",
        "开盘",
        "盘中",
        "报价",
        "牌价",
        "价格",
        "单价",
        "售价",
        "金价",
        "油价",
    ),
    *("汇率", "利率", "指数", "净值", "点位", "涨跌", "多少钱"),
)
_LATIN: Final = (
    # English
    *("today", "todays", "tonight", "tonights", "tomorrow", "tomorrows", "yesterday", "yesterdays", "now", "nowadays"),
    *(
        "right away",
        "asap",
        "this morning",
        "this afternoon",
        "this evening",
        "this week",
        "this weekend",
        "this month",
    ),
    *("this quarter", "this year", "this time", "this moment", "these days", "last week", "last month", "last night"),
    *("last quarter", "last year", "next week", "next weekend", "next month", "next quarter", "next year", "next time"),
    *(
        "week s",
        "current",
        "currently",
        "latest",
        "newest",
        "recent",
        "recently",
        "lately",
        "most recent",
        "up to date",
    ),
    *("up to the minute", "as of", "at present", "presently", "at the moment", "at this time", "for the time being"),
    *("so far", "to date", "until now", "till now", "real time", "realtime", "live", "ongoing", "upcoming", "imminent"),
    *("in progress", "just now", "still open", "breaking", "price", "prices", "priced", "pricing", "quote", "quotes"),
    *("quotation", "quotations", "stock", "stocks", "share price", "exchange rate", "exchange rates", "interest rate"),
    *("interest rates", "market value", "market cap", "spot rate", "ytd", "mtd", "qtd", "how much is", "weekend"),
    # Italian
    *("oggi", "odierno", "odierna", "stasera", "stamattina", "stamane", "stamani", "stanotte", "domani", "dopodomani"),
    *("ieri", "adesso", "ora", "ormai", "attuale", "attuali", "attualmente", "corrente", "correnti", "in corso"),
    *("al momento", "in questo momento", "per ora", "finora", "fino ad oggi", "in tempo reale", "recente", "recenti"),
    *(
        "recentemente",
        "di recente",
        "ultimo",
        "ultima",
        "ultimi",
        "ultime",
        "ultimissime",
        "ultimamente",
        "questa settimana",
    ),
    *(
        "questo mese",
        "questo trimestre",
        "quest anno",
        "quest ora",
        "settimana scorsa",
        "scorsa settimana",
        "mese scorso",
    ),
    *("scorso mese", "settimana prossima", "prossima settimana", "mese prossimo", "prossimo mese", "weekend", "prezzo"),
    *("prezzi", "quotazione", "quotazioni", "borsa", "azioni", "tasso di cambio", "cambio", "listino"),
)

_WORD: Final = re.compile(r"[^\W_]+")


def has_realtime_cue(text: str, further: Iterable[str] = ()) -> bool:
    """Whether a text holds a built-in cue, or one of `further` (those of the profile), however it is written."""
    folded = folded_text(text)
    letters = "".join(filter(str.isalnum, folded))
    words = _spaced(folded)
    return any(_stands_in(cue, letters, words) for cue in (*_ZH, *_LATIN, *further))


def _stands_in(cue: str, letters: str, words: str) -> bool:
    chinese, spaced = _forms_of(cue)
    return (bool(chinese) and chinese in letters) or (bool(spaced) and spaced in words)


@lru_cache(maxsize=1_024)
def _forms_of(cue: str) -> tuple[str, str]:
    """What to look for: a row of letters for a cue with ideographs, else its words; one of the two is empty."""
    folded = folded_text(cue)
    if any(map(is_ideographic, folded)):
        return "".join(filter(str.isalnum, folded)), ""
    return "", _spaced(folded).rstrip() + " " if _WORD.search(folded) else ""


def _spaced(folded: str) -> str:
    """The words of a text, each between blanks; an ideograph is an edge of the words beside it."""
    apart = "".join(" " if is_ideographic(char) else char for char in folded)
    return f" {' '.join(_WORD.findall(apart))} "
