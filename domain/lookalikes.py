"""Letters that look like a Latin letter, each with the letter it passes for; for the competitor gate only.

What Unicode itself calls a variant of a Latin letter (small capitals, turned, dotless, struck, enclosed, regional
indicators) is read off the character names; look-alikes of other scripts are listed by hand, capitals and small
letters each by their own shape.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Final

# The blocks that hold variants of Latin letters without a compatibility form of their own.
_LATIN_VARIANTS: Final = (
    range(0x00C0, 0x02B0),
    range(0x1D00, 0x1DC0),
    range(0x2C60, 0x2C80),
    range(0xA720, 0xA800),
    range(0xAB30, 0xAB70),
    range(0x1F110, 0x1F200),
)
_VARIANT_NAME: Final = re.compile(
    r"(?:LATIN (?:SMALL LETTER|CAPITAL LETTER|LETTER SMALL CAPITAL|LETTER)|REGIONAL INDICATOR SYMBOL LETTER"
    r"|(?:NEGATIVE |CROSSED NEGATIVE )?(?:CIRCLED|SQUARED) LATIN CAPITAL LETTER)"
    r"(?: (?:BARRED|BASELINE|BLACKLETTER|CLOSED|DOTLESS|INSULAR|INVERTED|LONG|OPEN|REVERSED|SCRIPT|SIDEWAYS|TURNED))*"
    r" ([A-Z])(?: BAR| WITH .*)?"
)

# Tag characters: invisible copies of the printable ASCII characters.
_TAGS: Final = range(0xE0020, 0xE007F)
_TAG_OFFSET: Final = 0xE0000

# Further Latin letters, and Armenian, Cherokee, Coptic, Cyrillic, Greek and Lisu ones, by what they pass for.
_OTHER_SCRIPTS: Final = {
    "a": "ΑАᎪⲀꓮαаⲁɑ",
    "b": "ΒВᏴⲂꓐβвьЬ",
    "c": "СϹᏟⲤꓚсϲⲥ",
    "d": "ᎠꓓԁժԀ",
    "e": "ƏΕЕЁЄᎬⲈꓰəεеёєҽ",
    "f": "ϜꓝϝքҒ",
    "g": "ԌᏀꓖԍցᏻ",
    "h": "ΗНᎻⲎꓧһհнҺ",
    "i": "ΙІЇӀⲒꓲιіїӏⲓᎥ",
    "j": "ЈᎫꓙјϳյ",
    "k": "ΚКᏦⲔꓗκкⲕ",
    "l": "ᏞⳐꓡլⳑ",
    "m": "ΜМᎷⲘꓟмⲙ",
    "n": "ΝИᏁⲚꓠŊηипոռŋⲛ",
    "o": "ΟОՕⲞꓳοоօⲟσө",
    "p": "ΡРᏢⲢꓑρрⲣ",
    "q": "ԚԛզգႭ",
    "r": "ᎡᏒꓣгⲅ",
    "s": "ЅᏚՏꓢѕտʂ",
    "t": "ΤТᎢⲦꓔτтⲧ",
    "u": "ՍꓴυսЏ",
    "v": "ѴᏙꓦνѵ",
    "w": "ԜᎳꓪωԝшա",
    "x": "ΧХⲬꓫχхⲭ",
    "y": "ΥУҮⲨꓬγуүўЎ",
    "z": "ΖᏃⲌꓜζʐ",
}


@cache
def lookalikes() -> dict[str, str]:
    """Every look-alike, visible or not, with the small Latin letter (or ASCII character) that it passes for."""
    listed = {char: letter for letter, chars in _OTHER_SCRIPTS.items() for char in chars}
    tags = {chr(code): chr(code - _TAG_OFFSET).lower() for code in _TAGS if chr(code - _TAG_OFFSET).isalnum()}
    return dict(_named_variants()) | listed | tags


def _named_variants() -> Iterator[tuple[str, str]]:
    for block in _LATIN_VARIANTS:
        for code in block:
            name = _VARIANT_NAME.fullmatch(unicodedata.name(chr(code), ""))
            if name:
                yield chr(code), name[1].lower()
