"""Which encoding a text file has: the one that a user names, or what a file that is not UTF-8 probably is."""

import codecs
import re
from pathlib import Path
from typing import Final

UTF_8: Final = "utf-8-sig"
"""UTF-8, with or without a byte order mark."""

_SAMPLE_BYTES: Final = 1 << 20
_HIGH_RUN: Final = re.compile(rb"[\x80-\xff]+")
_DOUBLE_BYTE: Final = (("gb18030", "Chinese Windows"), ("big5", "traditional Chinese Windows"))
_SINGLE_BYTE: Final = ("cp1252", "Western Windows, which holds Latin-1")


class UnknownEncodingError(Exception):
    """There is no encoding of that name; the message says so."""


def codec_of(name: str | None) -> str:
    """The codec for a name that a user gave; UTF-8 by default. Raises `UnknownEncodingError`."""
    if name is None:
        return UTF_8
    try:
        found = codecs.lookup(name)
        "".encode(found.name)  # some codecs do not make text
    except (LookupError, TypeError, ValueError):
        raise UnknownEncodingError(f"there is no encoding {name!r}; known are utf-8, gb18030, big5, cp1252 …") from None
    return UTF_8 if found.name == "utf-8" else found.name


def not_utf_8(path: Path, *, save_as: str, option: str = "") -> str:
    """What to say of a file that is not UTF-8: where, what it probably is, how to read it all the same.

    `save_as` is what programs call the right form; `option` names another encoding, and is empty where there is none.
    """
    if not path.is_file():
        return f"{path}: is not UTF-8; save it as {save_as}, or convert it: iconv -f GB18030 -t UTF-8"
    with path.open("rb") as file:
        sample = file.read(_SAMPLE_BYTES)
    codec, words = _probable_encoding(sample)
    by_option = f"load it with {option} {codec}, or " if option else ""
    return (
        f"{path}:{_first_line_not_utf_8(path)}: is not UTF-8, but probably {codec} ({words}); if so, {by_option}"
        f"convert it: iconv -f {codec.upper()} -t UTF-8 FILE, or save it as {save_as}"
    )


def _first_line_not_utf_8(path: Path) -> int:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return 1


def _probable_encoding(sample: bytes) -> tuple[str, str]:
    """Chinese text has its high bytes in pairs; in Western text most of them stand alone."""
    runs = [len(run) for run in _HIGH_RUN.findall(sample)]
    if sum(1 for run in runs if run > 1) * 2 > len(runs):
        for codec, words in _DOUBLE_BYTE:
            try:
                codecs.getincrementaldecoder(codec)().decode(sample)  # the end may be half of a character
            except UnicodeDecodeError:
                continue
            return codec, words
    return _SINGLE_BYTE
