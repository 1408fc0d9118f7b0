"""Files as people really save them: quotes, line breaks, byte order marks, other separators, and broken ones."""

from pathlib import Path

import pytest

from services.facts.files import MAX_LINE_CHARS, FileError, Numbered, open_facts
from services.facts.rows import Problem, Row, RowChecker

HEADER = (
    "metric_code,entity,period_type,period,channel,value,unit,source_doc_id,source_locator,valid_as_of,review_status"
)
LINE = "REVENUE,ACME_HK,FY,2024,TOTAL,1320.10,USD_M,a.pdf,p=1,2025-03-31,approved"
ROW = Row("REVENUE", "ACME_HK", "FY", "2024", "TOTAL", "1320.10", "USD_M", "a.pdf", "p=1", "2025-03-31", "approved")


def _read(folder: Path, content: str | bytes, name: str = "facts.csv") -> list[Numbered]:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with open_facts(path, RowChecker(None)) as file:
        return list(file.rows)


def _refusal(folder: Path, content: str | bytes, name: str = "facts.csv") -> str:
    with pytest.raises(FileError) as refused:
        _read(folder, content, name)
    return str(refused.value).removeprefix(str(folder / name))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_rows_come_with_their_physical_lines(tmp_path: Path, start: str, end: str) -> None:
    rows = _read(tmp_path, start + end.join([HEADER, LINE, "", LINE]))

    assert rows == [(2, ROW), (4, ROW)]


def test_line_breaks_inside_quotes_count_as_lines(tmp_path: Path) -> None:
    quoted = LINE.replace("p=1", '"p=1,\nrow=2"')

    rows = _read(tmp_path, f"{HEADER}\n{quoted}\n{LINE}\n")

    assert rows == [(2, ROW._replace(source_locator="p=1,\nrow=2")), (4, ROW)]


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_separators_are_recognised_by_the_header(tmp_path: Path, delimiter: str) -> None:
    assert _read(tmp_path, f"{HEADER}\n{LINE}\n".replace(",", delimiter)) == [(2, ROW)]


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;", "sep=|"])
def test_first_line_may_name_the_separator(tmp_path: Path, first: str) -> None:
    separator = first.strip('"')[-1]

    rows = _read(tmp_path, f"{first}\r\n{HEADER}\r\n{LINE}\r\n\r\n{LINE}\r\n".replace(",", separator))

    assert rows == [(3, ROW), (5, ROW)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_empty_rows_and_columns_of_a_spreadsheet_are_left_out(tmp_path: Path, delimiter: str) -> None:
    empty = "," * HEADER.count(",")
    lines = [f"{HEADER},,", f"{LINE},,", f"{empty},,", f"{LINE}, ,", " " + empty, empty, ",,,"]

    rows = _read(tmp_path, "\n".join(lines).replace(",", delimiter))

    assert rows == [(2, ROW), (4, ROW)]


def test_a_cell_too_many_is_still_a_fault(tmp_path: Path) -> None:
    assert _read(tmp_path, f"{HEADER}\n{LINE},more\n") == [
        (2, (Problem("", "has 12 cells, the header has 11; is a quote missing?"),))
    ]


@pytest.mark.parametrize(
    ("encoding", "written"), [("gb18030", "利润表"), ("gbk", "利润表"), ("latin-1", "società"), ("utf-16", "利润表")]
)
def test_another_encoding_is_read_when_it_is_named(tmp_path: Path, encoding: str, written: str) -> None:
    path = tmp_path / "facts.csv"
    path.write_bytes(f"{HEADER}\n{LINE.replace('p=1', written)}\n".encode(encoding))

    with open_facts(path, RowChecker(None), encoding=encoding) as file:
        assert list(file.rows) == [(2, ROW._replace(source_locator=written))]


@pytest.mark.parametrize("encoding", ["klingon", "base64", "rot13"])
def test_an_encoding_that_does_not_exist_is_named(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(FileError, match=encoding), open_facts(tmp_path / "a.csv", RowChecker(None), encoding=encoding):
        pass


def test_a_wrong_encoding_is_told_as_such(tmp_path: Path) -> None:
    path = tmp_path / "facts.csv"
    path.write_bytes(f"{HEADER}\n{LINE}é\n".encode("latin-1"))

    with (
        pytest.raises(FileError, match="is not ascii throughout"),
        open_facts(path, RowChecker(None), encoding="ascii") as file,
    ):
        list(file.rows)


def test_columns_may_come_in_any_order_with_labels_and_without_what_has_a_default(tmp_path: Path) -> None:
    header = (
        "entity_label,Unit ,value,period,period_type,entity_code,metric_code,metric_label,source_locator,source_doc_id"
    )
    line = '"Hong\nKong",USD_M,5,2024,FY,ACME_HK,REVENUE,"a, b",p=1,a.pdf'

    rows = _read(tmp_path, f"{header}\n{line}\n")

    assert rows == [(2, ROW._replace(value="5", valid_as_of=""))]


def test_empty_cells_mean_the_default(tmp_path: Path) -> None:
    rows = _read(tmp_path, f"{HEADER}\nREVENUE,ACME_HK,FY,2024,,1320.10,USD_M,a.pdf,p=1,,\n")

    assert rows == [(2, ROW._replace(valid_as_of=""))]


def test_a_row_with_too_few_or_too_many_cells_is_bad_and_the_next_one_is_not(tmp_path: Path) -> None:
    rows = _read(tmp_path, f"{HEADER}\n{LINE},more\nREVENUE\n{LINE}\n")

    assert [line for line, _ in rows] == [2, 3, 4]
    assert rows[0][1] == (Problem("", "has 12 cells, the header has 11; is a quote missing?"),)
    assert rows[2] == (4, ROW)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", ": is empty"),
        ("metric_code,entity\n", ":1: the header lacks period_type, period, value"),
        (HEADER.replace("valid_as_of", "valid_asof"), ":1: unknown column 'valid_asof'"),
        (HEADER + ",value", ":1: column value appears more than once"),
        (HEADER + ",entity_code", ":1: column entity appears more than once"),
        ('"metric_code', ": is not CSV"),
        (f"{HEADER}\n{LINE}\n{LINE.replace('p=1', chr(34) + 'p=1')}\n{LINE}", ":3: is not CSV from here on"),
        (f"{HEADER}\n{LINE.replace('p=1', chr(34) + 'p' + chr(34) + '=1')}", ":2: is not CSV"),
        (f"{HEADER}\n{LINE}\n".encode("utf-16"), "is UTF-16"),
        (
            f"{HEADER}\n{LINE}\n{LINE.replace('p=1', '利润表')}".encode("gb18030"),
            ":3: is not UTF-8, but probably gb18030",
        ),
        (f"{HEADER}\n{LINE.replace('p=1', 'società é')}".encode("latin-1"), ":2: is not UTF-8, but probably cp1252"),
        (f"sep=;\n{HEADER},colour\n".replace(",", ";"), ":2: unknown column 'colour'"),
        (b"PK\x03\x04 and so on", "is an Office or ZIP file"),
        (f"{HEADER}\n{'x' * MAX_LINE_CHARS}", ":2: is longer than 1,000,000 characters"),
    ],
)
def test_a_file_that_cannot_be_read_to_its_end_is_refused_by_line(
    tmp_path: Path, content: str | bytes, reason: str
) -> None:
    assert reason in _refusal(tmp_path, content)


@pytest.mark.parametrize("header", ["x" * 140_000, f'"{"x" * 140_000}",value', f"{HEADER},{'x' * 140_000}"])
def test_a_header_cell_that_is_too_long_is_refused_by_line(tmp_path: Path, header: str) -> None:
    assert _refusal(tmp_path, f"{header}\n{LINE}\n").startswith(":1: is not CSV from here on: field larger than")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(FileError, match=r"nowhere.csv: cannot be read: No such file"),
        open_facts(tmp_path / "nowhere.csv", RowChecker(None)),
    ):
        pass


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read: Is a directory"), open_facts(tmp_path, RowChecker(None)):
        pass


OBJECT = (
    '{"metric_code": "REVENUE", "entity_code": "ACME_HK", "period_type": "FY", "period": "2024", "value": "1320.10",'
    ' "unit": "USD_M", "source_doc_id": "a.pdf", "source_locator": "p=1", "valid_as_of": "2025-03-31",'
    ' "metric_label": 5}'
)


def test_json_lines_are_rows(tmp_path: Path) -> None:
    rows = _read(tmp_path, f"\ufeff{OBJECT}\n\n{OBJECT}\r\n", "facts.jsonl")

    assert rows == [(1, ROW), (3, ROW)]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", Problem("", "is not JSON: each line must be one object")),
        ("[" * 100_000, Problem("", "is not JSON: each line must be one object")),
        ("[]", Problem("", "must be a JSON object with the columns as names")),
        (OBJECT.replace('"1320.10"', "1320.10"), None),
        (OBJECT.replace('"unit"', '"units"'), Problem("units", "is not a column of a fact")),
        (OBJECT.replace('"unit"', '"value"'), Problem("value", "is named twice")),
        (OBJECT.replace('"unit"', '"entity"'), Problem("entity", "is given twice, as entity and as entity_code")),
        (OBJECT.replace('"a.pdf"', "null"), Problem("source_doc_id", "must be text in quotes")),
    ],
)
def test_a_line_that_is_no_fact_says_why(tmp_path: Path, line: str, problem: Problem | None) -> None:
    ((number, checked),) = _read(tmp_path, line, "facts.jsonl")

    assert number == 1
    assert not isinstance(checked, Row)
    if problem is None:
        assert [p.column for p in checked] == ["value"]
        assert 'text in quotes such as "1320.50"' in checked[0].reason
    else:
        assert problem in checked


def test_the_position_tells_how_far_the_file_was_read(tmp_path: Path) -> None:
    path = tmp_path / "facts.csv"
    path.write_text(f"{HEADER}\n" + f"{LINE}\n" * 10_000)
    with open_facts(path, RowChecker(None)) as file:
        next(file.rows)
        early = file.position()
        list(file.rows)

        assert 0 < early < file.position() == path.stat().st_size
