"""A log line is an event code and allow-listed fields; no payload gets into it, not even by a library's message."""

import io
import json
import logging
import sys
import threading
import warnings
from collections.abc import Generator

import pytest

from runtime.attributes import NotAllowedError
from runtime.logging import describe, get_log, setup_logging
from runtime.testing import recorded_spans
from tests.support.logs import restored_logging

log = get_log("runtime.test")


@pytest.fixture(autouse=True)
def _restored_logging() -> Generator[None]:
    with restored_logging():
        yield


def lines_of(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.fixture
def stream() -> io.StringIO:
    stream = io.StringIO()
    setup_logging("info", "intent", stream=stream)
    return stream


def test_a_line_is_one_json_object_with_code_and_fields(stream: io.StringIO) -> None:
    log.warning("nats_not_reachable", attempt=3, subject="ragspine.v1.ask.*")

    line = lines_of(stream)[0]
    assert {k: line[k] for k in ("level", "service", "logger", "event", "attempt", "subject")} == {
        "level": "warning",
        "service": "intent",
        "logger": "runtime.test",
        "event": "nats_not_reachable",
        "attempt": 3,
        "subject": "ragspine.v1.ask.*",
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"question": "x"},
        {"answer": "1320"},
        {"reason": "中国内地"},
        {"reason": "a\nb"},
        {"reason": "what is the revenue"},
        {"reason": "1320"},
        {"count": {"a": 1}},
        {"count": "1320"},
        {"request_id": "what is the revenue"},
        {"request_id": "x" * 65},
        {"code": "the revenue"},
    ],
)
def test_payload_fields_are_refused(stream: io.StringIO, fields: dict[str, object]) -> None:
    log.info("asked", rows=1, **fields)

    line = lines_of(stream)[0]
    assert line["refused"] == 1
    assert line["rows"] == 1
    assert set(line) & (set(fields)) == set()


def test_payload_fields_raise_where_telemetry_is_strict() -> None:
    setup_logging("info", "intent", strict=True, stream=io.StringIO())

    with pytest.raises(NotAllowedError, match="question"):
        log.info("asked", question="x")


def test_a_level_below_the_one_set_is_not_written(stream: io.StringIO) -> None:
    log.debug("detail")

    assert lines_of(stream) == []


def test_the_text_of_a_library_is_not_written(stream: io.StringIO) -> None:
    try:
        int("SENTINEL")
    except ValueError:
        logging.getLogger("asyncpg").exception("value %s", "SENTINEL")

    line = lines_of(stream)[0]
    assert "SENTINEL" not in stream.getvalue()
    assert (line["event"], line["logger"], line["error"]) == ("library_message", "asyncpg", "ValueError")


def test_a_warning_is_written_without_its_text(stream: io.StringIO) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("SENTINEL", stacklevel=1)

    assert "SENTINEL" not in stream.getvalue()
    assert lines_of(stream)[0]["logger"] == "py.warnings"


def test_a_line_inside_a_trace_names_it(stream: io.StringIO) -> None:
    with recorded_spans() as (telemetry, spans):
        with telemetry.serving("s", None):
            log.info("here")
        span = spans()[0]

    assert lines_of(stream)[0]["trace"] == f"{span.context.trace_id:032x}"


def test_an_exception_is_described_by_type_and_place_only() -> None:
    try:
        int("SENTINEL")
    except ValueError as error:
        description = describe(error)

    assert description["error"] == "ValueError"
    assert "test_logging.py:" in description["where"]
    assert "SENTINEL" not in str(description)


def test_an_exception_that_nobody_catches_is_described_too(stream: io.StringIO) -> None:
    def fail() -> None:
        raise ValueError("SENTINEL")

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    try:
        fail()
    except ValueError as error:
        sys.excepthook(type(error), error, error.__traceback__)

    assert [(line["event"], line["error"]) for line in lines_of(stream)] == [
        ("thread_crashed", "ValueError"),
        ("crashed", "ValueError"),
    ]
    assert "SENTINEL" not in stream.getvalue()


def test_a_line_that_cannot_be_written_is_not_written_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    class Full(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError("no space left")

    setup_logging("info", "intent", stream=Full())

    logging.getLogger("asyncpg").error("value %s", "SENTINEL")

    assert "SENTINEL" not in "".join(capsys.readouterr())


def test_the_place_of_an_exception_in_a_program_without_a_file_is_shown(stream: io.StringIO) -> None:
    try:
        exec("1 / 0", {})
    except ZeroDivisionError as error:
        log.warning("failed", **describe(error))

    assert "string" in str(lines_of(stream)[0]["where"])
