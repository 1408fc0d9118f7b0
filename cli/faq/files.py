"""Files of vetted answers: `{"items": […]}`."""

import json
from collections.abc import Iterable
from pathlib import Path

import typer

from cli.console import CliError, ExitCode
from contracts.v1.faq import FaqItem, StoredFaqItem


def read_items(file: str) -> object:
    """The JSON of a file or of standard input; raises `CliError`."""
    try:
        text = typer.get_text_stream("stdin").read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise CliError(f"cannot read {file}: {reason}", code=ExitCode.USAGE) from None
    try:
        items: object = json.loads(text)
    except ValueError as error:
        raise CliError(
            f"{file} is not JSON: {error}",
            hint='it holds {"items": […]}, as `faq export` writes it',
            code=ExitCode.USAGE,
        ) from None
    return items


def export_items(items: Iterable[StoredFaqItem]) -> list[dict[str, object]]:
    """Items as an import reads them."""
    return [item.model_dump(mode="json", include=set(FaqItem.model_fields)) for item in items]


def write_text(path: Path, text: str) -> None:
    """Write a file; raises `CliError`."""
    try:
        path.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise CliError(f"cannot write {path}: {error.strerror}", code=ExitCode.USAGE) from None
