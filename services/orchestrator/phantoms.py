"""Sources that nobody gave are taken out of a prose: file names, titles, links, reports, lists of sources. Pure.

What is taken out goes with the words that lead to it ("according to …,"). A sentence of which nothing is left goes too.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from domain.fold import fold

MAX_PROSE_CHARS: Final = 8_000
"""More than an answer of a few paragraphs; what is longer is cut at a line or a sentence."""

_FILE: Final = re.compile(
    r"[\w\-.]*[\w\-]\.(?:pdf|docx?|xlsx?|pptx?|csv|tsv|md|txt|html?|json|xml|rtf|odt|ods|eml|msg|zip|png|jpe?g)(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_LATIN_TAIL: Final = re.compile(r"[A-Za-z0-9_\-.]+$")
_TITLE: Final = re.compile(r"《[^》\n]{1,120}》")
_LINK: Final = re.compile(r"(?:https?://|www\.|ftp://|mailto:)[^\s)\]）】，。；\"'<>]+", re.IGNORECASE)
_IMAGE: Final = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
_ANCHOR: Final = re.compile(r"\[([^\]\n]+)\]\([^)\n]*\)")
_LABEL: Final = (
    r"(?:资料|数据|信息|引用)?(?:来源|出处)|参考(?:资料|文献)?|引自|sources?|references?|citations?|font[ei]"
    r"|riferiment[oi]"
)
_SOURCE_NOTE: Final = re.compile(rf"\s?[（(【\[]\s*(?:{_LABEL})\s*[:：][^）)】\]\n]*[）)】\]]", re.IGNORECASE)
_SOURCE_LINE: Final = re.compile(rf"(?m)^[\s>*#\-]*(?:{_LABEL})\**\s*[:：].*$", re.IGNORECASE)
_LED_BY: Final = (
    r"(?:(?:据|根据|依据|按照|参见|参考|详见|见|引自|来自|出自|according to|as (?:stated|reported) in|as per|per|see"
    r"|from|secondo|vedi|come da)\s*)?[《“\"'`(（\[]*\s*"
)
_SAYS: Final = "(?:的)?(?:数据|内容|报告|说明|披露|记载)?(?:显示|称|指出|表明|所述|所载)?"
_FOLLOWED_BY: Final = rf"\s*[》”\"'`)）\]]*(?:\s*{_SAYS})?\s*[,，:：]?\s*"
_REPORT_ZH: Final = re.compile(
    r"(?:据|根据|依据|按照)([^，,。；\n]{2,24}?)(?:的)?(?:报道|报告|研究|年报|公告|披露|统计|调查)"
    r"(?:显示|称|指出|表明)?[，,]\s*"
)
_REPORT_LATIN: Final = re.compile(
    r"(?:(?<!\w)(?:[Aa]ccording to|[Aa]s reported by|[Ss]econdo)\s+(?:the |il |la |lo |i )?)"
    r"([A-Z][\w&.'\-]*(?: (?:of|di|[A-Z0-9][\w&.'\-]*))*)\s*,?\s*"
)
_TAG: Final = re.compile(r"</?[A-Za-z!][^<>\n]{0,200}>")
_INSIDE_NUMBER: Final = re.compile(r"(?<=[\d.,])[*_`~]+(?=[\d.,])")
_DOUBLED_COMMA: Final = re.compile(r"([，,、])\s*(?=[，,、。.；;])")
_LEADING_COMMA: Final = re.compile(r"(?m)^[ \t]*[，,、；;。]+[ \t]*")
_BLANKS: Final = re.compile(r"[ \t]{2,}")


@dataclass(frozen=True, slots=True)
class Given:
    """What a prose may name: the given documents and their titles, and whatever stands in their texts."""

    names: tuple[str, ...]
    texts: tuple[str, ...]

    def knows(self, name: str) -> bool:
        """Whether a title, a report or a link is one of the given, or is spoken of in them."""
        key = fold(name.strip("《》“”\"' ")).text
        return any(key in fold(text).text for text in (*self.names, *self.texts))


def plain_prose(said: str, nonce: str) -> str:
    """What a model said, without controls, tags, entities and marks of ours, and not longer than an answer."""
    visible = "".join(char for char in html.unescape(said) if char == "\n" or unicodedata.category(char)[0] != "C")
    lines = [line for line in visible.split("\n") if nonce not in line]
    text = _INSIDE_NUMBER.sub("", _TAG.sub("", "\n".join(lines))).strip()
    if len(text) <= MAX_PROSE_CHARS:
        return text
    cut = max(text.rfind(end, 0, MAX_PROSE_CHARS) for end in ("\n", "。", ". "))
    return text[: cut + 1 if cut > 0 else MAX_PROSE_CHARS].rstrip()


def without_phantoms(prose: str, given: Given) -> str:
    """The prose without any source that was not given."""
    text = _ANCHOR.sub(lambda found: found[1], _IMAGE.sub("", prose))
    text = _SOURCE_LINE.sub(lambda found: _kept_note(found[0], given), text)
    text = _SOURCE_NOTE.sub(lambda found: _kept_note(found[0], given), text)
    text = _without(text, _unknown_files(text, given.names))
    text = _without(text, (link for link in _LINK.findall(text) if not given.knows(link)))
    text = _without(text, (title for title in _TITLE.findall(text) if not given.knows(title)))
    for report in (_REPORT_ZH, _REPORT_LATIN):
        text = report.sub(lambda found: found[0] if given.knows(found[1]) else "", text)
    return _tidy(text)


def _kept_note(note: str, given: Given) -> str:
    """A list of sources of the model's own stays only where it names given documents and nothing else."""
    rest = note
    for name in sorted(given.names, key=len, reverse=True):
        rest = re.sub(re.escape(name), "", rest, flags=re.IGNORECASE)
    rest = re.sub(_LABEL, "", rest, flags=re.IGNORECASE)
    return note if rest != note and not re.search(r"\w", re.sub(r"\[\d+\]", "", rest)) else ""


def _unknown_files(text: str, names: Sequence[str]) -> Iterable[str]:
    for name in _FILE.findall(text):
        if any(name.lower().endswith(known.lower()) and _is_whole(name, known) for known in names):
            continue
        latin = _LATIN_TAIL.search(name)
        yield latin[0] if latin and not latin[0].startswith(".") else name


def _is_whole(name: str, known: str) -> bool:
    """Whether what stands before a known name is no part of it: "见report.pdf", but not "my_report.pdf"."""
    before = name[: len(name) - len(known)][-1:]
    return not before or not (before.isascii() and (before.isalnum() or before in "_-."))


def _without(text: str, phantoms: Iterable[str]) -> str:
    for phantom in sorted(set(phantoms), key=len, reverse=True):
        name = rf"(?<![A-Za-z0-9_\-]){re.escape(phantom)}(?![A-Za-z0-9_])"
        text = re.sub(f"{_LED_BY}{name}{_FOLLOWED_BY}", "", text, flags=re.IGNORECASE)
        text = text.replace(phantom, "")
    return text


def _tidy(text: str) -> str:
    text = _LEADING_COMMA.sub("", _DOUBLED_COMMA.sub("", text))
    lines = (_BLANKS.sub(" ", line).strip() for line in text.split("\n"))
    kept = (line for line in lines if not line or re.search(r"\w", line))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
