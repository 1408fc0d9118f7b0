"""Structured logs: one JSON object per line, with the trace id, from an allow-list of fields.

Our own lines are an event code and named fields. Of a foreign library only logger, level, place and exception type are
written, never its text: exception texts of drivers and validators repeat values.
"""

import json
import logging
import re
import sys
import threading
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, TextIO

from opentelemetry import trace

from runtime.attributes import LOG_FIELDS, NotAllowedError, forbidden

_FIELDS: Final = "ragspine_fields"
_MAX_FRAMES: Final = 12
_NO_PART_OF_A_PLACE: Final = re.compile(r"[^A-Za-z0-9_.-]")  # as in `<frozen runpy>`

_strict = False


class Log:
    """Writes events of one module."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def debug(self, event: str, /, **fields: object) -> None:
        """Something that helps to follow one request."""
        self._write(logging.DEBUG, event, fields)

    def info(self, event: str, /, **fields: object) -> None:
        """Something an operator may want to have seen."""
        self._write(logging.INFO, event, fields)

    def warning(self, event: str, /, **fields: object) -> None:
        """Something that works again by itself."""
        self._write(logging.WARNING, event, fields)

    def error(self, event: str, /, **fields: object) -> None:
        """A fault of ours."""
        self._write(logging.ERROR, event, fields)

    def _write(self, level: int, event: str, fields: Mapping[str, object]) -> None:
        if not self._logger.isEnabledFor(level):
            return
        refused = forbidden(fields, LOG_FIELDS)
        if refused and _strict:
            raise NotAllowedError(f"may not be logged: {', '.join(sorted(refused))}")
        kept = {name: value for name, value in fields.items() if name not in refused}
        if refused:
            kept["refused"] = len(refused)
        self._logger.log(level, event, extra={_FIELDS: kept}, stacklevel=3)


def get_log(name: str) -> Log:
    """The log of a module."""
    return Log(name)


def describe(exc: BaseException) -> dict[str, str]:
    """Type and place of an exception as log fields; its text stays out."""
    frames = traceback.extract_tb(exc.__traceback__)[-_MAX_FRAMES:]
    places = [f"{_NO_PART_OF_A_PLACE.sub('', frame.filename.rsplit('/', 1)[-1])}:{frame.lineno}" for frame in frames]
    return {"error": type(exc).__name__, "where": ">".join(places)[-200:]}


def setup_logging(level: str, service: str, *, strict: bool = False, stream: TextIO | None = None) -> None:
    """Send all log lines of the process to `stream` (default: stderr) as JSON."""
    global _strict
    _strict = strict
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_JsonFormatter(service))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)  # foreign libraries speak only when something is wrong
    for ours in ("runtime", "services", "domain", "contracts", "cli"):
        logging.getLogger(ours).setLevel(level.upper())
    logging.captureWarnings(capture=True)
    logging.raiseExceptions = False  # else a line that cannot be written would be printed whole, arguments included
    _describe_what_nobody_catches()


def _describe_what_nobody_catches() -> None:
    """Of an exception that ends the process or a thread, Python itself would print the text."""
    log = get_log(__name__)

    def on_exception(_: object, error: BaseException, __: object) -> None:
        log.error("crashed", **describe(error))

    def on_thread_exception(seen: threading.ExceptHookArgs) -> None:
        if seen.exc_value is not None:
            log.error("thread_crashed", **describe(seen.exc_value))

    def on_unraisable(seen: "sys.UnraisableHookArgs") -> None:
        if seen.exc_value is not None:
            log.error("unraisable", **describe(seen.exc_value))

    sys.excepthook = on_exception
    threading.excepthook = on_thread_exception
    sys.unraisablehook = on_unraisable


class _JsonFormatter(logging.Formatter):
    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "service": self._service,
            "logger": record.name,
        }
        fields: Mapping[str, object] | None = getattr(record, _FIELDS, None)
        line |= _foreign(record) if fields is None else {"event": record.msg, **fields}
        context = trace.get_current_span().get_span_context()
        if context.is_valid:
            line |= {"trace": f"{context.trace_id:032x}", "span": f"{context.span_id:016x}"}
        return json.dumps(line, ensure_ascii=False)


def _foreign(record: logging.LogRecord) -> dict[str, object]:
    line: dict[str, object] = {"event": "library_message", "where": f"{record.filename}:{record.lineno}"}
    if record.exc_info and record.exc_info[1]:
        line |= describe(record.exc_info[1])
    return line
