"""Text files as lines, read as a stream; a file that cannot be read to its end raises `FileError`.

What follows a wrong encoding cannot be trusted, so nothing is guessed: the message names the file, the line where it is
known, and what to do.
"""

import io
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from runtime.encodings import UTF_8, UnknownEncodingError, codec_of, not_utf_8

_WRONG_START: Final = {
    b"PK\x03\x04": "is an Office or ZIP file; save it as {form} and load that",
    b"%PDF": "is a PDF; save its text as {form} and load that",
    b"\xff\xfe": "is UTF-16; save it as {form} and load that",
    b"\xfe\xff": "is UTF-16; save it as {form} and load that",
}

T = TypeVar("T")


class FileError(Exception):
    """A file that cannot be read; the message names the file, the line where it is known, and what to do."""


class RepeatedNameError(Exception):
    """A JSON object names the same thing twice; which of the values is meant, nobody knows."""


def without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An `object_pairs_hook` that raises `RepeatedNameError`."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        raise RepeatedNameError(next(name for name in names if names.count(name) > 1))
    return fields


@dataclass(frozen=True, slots=True)
class TextFile:
    """An open text file."""

    path: Path
    lines: Iterator[str]
    position: Callable[[], int]
    """Bytes read so far; 0 for a pipe."""
    codec: str
    save_as: str
    option: str

    def guarded(self, items: Iterator[T]) -> Iterator[T]:
        """What is made of the lines, with every fault of reading as a `FileError`."""
        try:
            yield from items
        except UnicodeError:
            raise FileError(self._not_readable()) from None
        except OSError as error:
            raise FileError(f"{self.path}: cannot be read: {error.strerror}") from error

    def _not_readable(self) -> str:
        if self.codec != UTF_8:
            return f"{self.path}: is not {self.codec} throughout"
        return not_utf_8(self.path, save_as=self.save_as, option=self.option)


@contextmanager
def open_lines(
    path: Path, *, max_chars: int, save_as: str, encoding: str | None = None, option: str = ""
) -> Generator[TextFile]:
    """Open a UTF-8 file, with or without a byte order mark; raises `FileError`, also for a line beyond `max_chars`.

    `encoding` is that of a file which is not UTF-8, and `option` how users name it.
    """
    try:
        codec = codec_of(encoding)
    except UnknownEncodingError as error:
        raise FileError(str(error)) from error
    try:
        binary = path.open("rb")
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error
    with binary:
        start = binary.peek(4)[:4]
        for magic, reason in _WRONG_START.items():
            if start.startswith(magic) and not codec.startswith("utf-16"):
                raise FileError(f"{path}: {reason.format(form=save_as)}")
        text = io.TextIOWrapper(binary, encoding=codec, newline="")
        position = binary.tell if binary.seekable() else _nowhere
        yield TextFile(path, _lines(path, text, max_chars), position, codec, save_as, option)


def _nowhere() -> int:
    return 0


def _lines(path: Path, text: io.TextIOWrapper, max_chars: int) -> Iterator[str]:
    number = 1
    while line := text.readline(max_chars):
        if len(line) == max_chars:
            raise FileError(f"{path}:{number}: is longer than {max_chars:,} characters")
        yield line
        number += 1
