"""Which way a percentage goes, where the words of its clause say so: "fell 12%" is not "rose 12%"."""

import re
from typing import Final

_UP: Final = (
    r"增长|增加|上升|提升|提高|上涨|攀升|回升|激增|增幅|[增升涨](?=[了逾约近超至\d百]|$)"
    r"|(?<![a-z])(?:rose|ris(?:e|es|en|ing)|grew|grow(?:s|n|ing|th)?|increas(?:e|es|ed|ing)|climb(?:s|ed|ing)?|up"
    r"|gain(?:s|ed)?|higher|improv(?:ed|ement)|aument[aoi]\w*|cresc\w+|salit[aoei]|crescita)(?![a-z])"
)
_DOWN: Final = (
    r"下降|减少|回落|下滑|下跌|降低|萎缩|缩减|骤降|锐减|降幅|跌幅|[降跌减](?=[了逾约近超至\d百]|$)"
    r"|(?<![a-z])(?:fell|fall(?:s|en|ing)?|declin(?:e|es|ed|ing)|decreas(?:e|es|ed|ing)|drop(?:s|ped|ping)?|down|lower"
    r"|shrank|shrunk|shrink(?:s|ing)?|contracted|contraction|cal(?:a|ano|ato|ata|ati|ate|o)|diminu\w+|sces[aoei]"
    r"|ridott[aoei]|flession[ei])(?![a-z])"
)
_EITHER: Final = re.compile(f"(?P<up>{_UP})|(?P<down>{_DOWN})")
_UNCLEAR: Final = re.compile(r"收窄|缩小|扩大|放缓|narrow|slow|widen|rallent|ridu[cz]")
_CLAUSE: Final = re.compile(r"[,;:。!?，；：\n]")
_BEHIND: Final = re.compile(rf" ?(?:的|year-on-year |annual )?(?:(?P<up>{_UP})|(?P<down>{_DOWN}))")


def direction(text: str, start: int, end: int) -> int:
    """+1 or -1 for a number that stands at `start:end` of a matching view, 0 where its clause does not say."""
    clause = max((sign.end() for sign in _CLAUSE.finditer(text, 0, start)), default=0)
    if _UNCLEAR.search(text, clause, end):
        return 0
    before = [*_EITHER.finditer(text, clause, start)]
    said = before[-1] if before else _BEHIND.match(text, end)
    if said is None:
        return 0
    return 1 if said["up"] else -1
