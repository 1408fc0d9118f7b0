"""Ways to write a name so that a reader still reads it and a careless comparison does not."""

import html
import unicodedata
from collections.abc import Callable, Mapping
from typing import Final

import opencc

Disguise = Callable[[str], str]

_LATIN: Final = "abcdefghijklmnopqrstuvwxyz"


def _between(sign: str) -> Disguise:
    return sign.join


def _behind(mark: str) -> Disguise:
    return lambda name: "".join(char + mark for char in name)


def _alphabet(letters: str) -> Disguise:
    table = str.maketrans(_LATIN + _LATIN.upper(), letters * 2)
    return lambda name: name.translate(table)


def _offset(first: int) -> Disguise:
    return _alphabet("".join(chr(first + i) for i in range(len(_LATIN))))


def _replaced(**letters: str) -> Disguise:
    return lambda name: "".join(letters.get(char, char) for char in name.lower())


def _full_width(name: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in name)


def _alternating(name: str) -> str:
    return "".join(char.upper() if i % 2 else char.lower() for i, char in enumerate(name))


def _half_hidden(name: str) -> str:
    middle = max(1, len(name) // 2)
    return f"{name[:middle]}\u200d\u00ad\ufeff{name[middle:]}"


def _entities(form: str) -> Disguise:
    return lambda name: "".join(form.format(ord(char)) for char in name)


_SIGNS_BETWEEN: Final = {
    "blank": " ",
    "two blanks": "  ",
    "tab": "\t",
    "line break": "\n",
    "no-break space": "\u00a0",
    "thin space": "\u2009",
    "ideographic space": "\u3000",
    "line separator": "\u2028",
    "hyphen": "-",
    "non-breaking hyphen": "\u2011",
    "underscore": "_",
    "full stop": ".",
    "comma": ",",
    "middle dot": "·",
    "katakana dot": "・",
    "bullet": "•",
    "slash": "/",
    "colon": ":",
    "ideographic comma": "、",
    "quotation mark": '"',
    "figure space": "\u2007",
    "interlinear annotation": "\ufffa",
    "tag space": "\U000e0020",
    "comment": "<!-- -->",
    "bar": "|",
    "asterisk": "*",
    "tilde": "~",
    "emoji": "😀",
    "zero width space": "\u200b",
    "zero width joiner": "\u200d",
    "zero width non-joiner": "\u200c",
    "word joiner": "\u2060",
    "byte order mark": "\ufeff",
    "soft hyphen": "\u00ad",
    "left-to-right mark": "\u200e",
    "right-to-left mark": "\u200f",
    "Arabic letter mark": "\u061c",
    "Mongolian vowel separator": "\u180e",
    "combining grapheme joiner": "\u034f",
    "invisible times": "\u2062",
    "Hangul filler": "\u3164",
    "braille blank": "\u2800",
    "control character": "\x01",
}

_MARKS_BEHIND: Final = {
    "acute": "\u0301",
    "diaeresis": "\u0308",
    "dot below": "\u0323",
    "stroke through": "\u0336",
    "enclosing circle": "\u20dd",
    "enclosing keycap": "\u20e3",
    "variation selector": "\ufe0f",
    "ideographic variation": "\U000e0100",
}

DISGUISES: Final[Mapping[str, Disguise]] = {
    "as it is": str,
    "upper case": str.upper,
    "title case": str.title,
    "alternating case": _alternating,
    "full width": _full_width,
    "half hidden": _half_hidden,
    "decomposed": lambda name: unicodedata.normalize("NFKD", name),
    "traditional": opencc.OpenCC("s2t").convert,
    "traditional of Hong Kong": opencc.OpenCC("s2hk").convert,
    "traditional of Taiwan": opencc.OpenCC("s2tw").convert,
    "decimal entities": _entities("&#{};"),
    "hexadecimal entities": _entities("&#x{:x};"),
    "entities without semicolon": lambda name: "".join(f"&#{ord(char)}" for char in name),
    "escaped brackets": lambda name: html.escape(f"<{name}>"),
    "mathematical bold": _offset(0x1D41A),
    "mathematical italic script": _offset(0x1D4EA),
    "mathematical sans": _offset(0x1D5BA),
    "mathematical monospace": _offset(0x1D68A),
    "double struck": _offset(0x1D552),
    "fraktur": _offset(0x1D586),
    "circled": _offset(0x24D0),
    "parenthesised": _offset(0x249C),
    "squared": _offset(0x1F130),
    "negative squared": _offset(0x1F170),
    "negative circled": _offset(0x1F150),
    "regional indicators": _offset(0x1F1E6),
    "tag characters": _offset(0xE0061),
    "Cyrillic": _replaced(a="а", c="с", e="е", i="і", j="ј", o="о", p="р", s="ѕ", x="х", y="у", h="һ", d="ԁ", l="ӏ"),
    "Cyrillic capitals": _replaced(a="А", b="В", c="С", e="Е", h="Н", i="І", j="Ј", k="К", m="М", o="О", s="Ѕ"),
    "Greek capitals": _replaced(a="Α", b="Β", e="Ε", h="Η", i="Ι", k="Κ", m="Μ", n="Ν", o="Ο"),
    "small capitals": _replaced(a="ᴀ", b="ʙ", d="ᴅ", e="ᴇ", g="ɢ", i="ɪ", j="ᴊ", k="ᴋ", l="ʟ", m="ᴍ", n="ɴ", o="ᴏ"),
    "accents": _replaced(a="á", e="ê", g="ğ", i="ï", n="ñ", o="ö", s="š", u="ů"),
    "strokes and hooks": _replaced(a="ⱥ", b="ƀ", d="đ", g="ɠ", h="ħ", i="ı", j="ȷ", l="ł", n="ŋ", o="ø", u="ʉ"),
    "superscript": _replaced(a="ᵃ", b="ᵇ", d="ᵈ", e="ᵉ", g="ᵍ", h="ʰ", i="ⁱ", j="ʲ", k="ᵏ", l="ˡ", m="ᵐ", n="ⁿ", o="ᵒ"),
    "turned": _replaced(a="ɐ", e="ǝ", g="ᵷ", h="ɥ", i="ᴉ", k="ʞ", l="ꞁ", m="ɯ"),
    "subscript": _replaced(a="ₐ", e="ₑ", h="ₕ", i="ᵢ", j="ⱼ", k="ₖ", l="ₗ", m="ₘ", n="ₙ", o="ₒ", p="ₚ", s="ₛ", u="ᵤ"),
    "Lisu": _replaced(a="ꓮ", b="ꓐ", d="ꓓ", e="ꓰ", g="ꓖ", h="ꓧ", i="ꓲ", j="ꓙ", k="ꓗ", l="ꓡ", n="ꓠ", o="ꓳ", u="ꓴ"),
    "Coptic": _replaced(a="ⲁ", i="ⲓ", k="ⲕ", n="ⲛ", o="ⲟ"),
    "nested entities": lambda name: "".join(f"&amp;#{ord(char)};" for char in name),
    "percent codes": lambda name: "".join(f"%{byte:02X}" for byte in name.encode()),
    "backslash codes": lambda name: "".join(f"\\u{ord(char):04x}" for char in name),
    "mark-up tags": lambda name: "".join(f"<b>{char}</b>" for char in name),
    "brackets": lambda name: "".join(f"[{char}]" for char in name),
    "right-to-left override": lambda name: f"\u202e{name}\u202c",
    "isolate": lambda name: f"\u2066{name}\u2069",
    **{f"{sign} between": _between(text) for sign, text in _SIGNS_BETWEEN.items()},
    **{f"{mark} behind": _behind(text) for mark, text in _MARKS_BEHIND.items()},
}
"""Each with what it is called."""
