"""How the command line speaks: tables of which nothing is cut, errors for people and for programs."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from cli.console import ExitCode, print_table
from cli.main import main

HEADINGS = ("metric", "value", "source")
ROW = ("REVENUE_OF_A_LONG_NAME", "1234567890.123456789", "ACME_FY2024_Review.pptx · slide=2,table=1,row=REVENUE")


def _shown(width: int, rows: list[tuple[str, ...]]) -> list[str]:
    console = Console(file=io.StringIO(), force_terminal=True, width=width, no_color=True)
    print_table(console, HEADINGS, rows, right="value")
    file = console.file
    assert isinstance(file, io.StringIO)
    return [line.rstrip() for line in file.getvalue().replace("\x1b[0m", "").replace("\x1b[2m", "").splitlines()]


@pytest.mark.parametrize("width", [20, 33, 40, 60, 79, 80, 200])
def test_nothing_of_a_table_is_cut_however_narrow_the_terminal(width: int) -> None:
    lines = _shown(width, [ROW, ROW])

    flat = "".join("".join(lines).split())
    for cell in ROW:
        letters = "".join(cell.split())
        assert flat.count(letters) == 2 or width < len(HEADINGS[0]) + len(cell), cell
    assert "…" not in flat
    assert all(len(line) <= width for line in lines)


def test_a_table_that_fits_stays_one() -> None:
    assert len(_shown(200, [ROW, ROW])) == 3


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        (["ask", " ", "--json"], "usage", "empty"),
        (["ask", "--json"], "usage", "question"),
        (["ask", "x", "--json", "--nonsense"], "usage", "--nonsense"),
        (["ask", "x", "--json", "--url", "http://127.0.0.1:1"], "degraded", "127.0.0.1:1"),
        (["facts", "list", "--json", "--url", "ftp://x"], "usage", "ftp"),
    ],
)
def test_error_is_an_object_on_stdout_where_json_was_asked_for(
    arguments: list[str], code: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = main(arguments)

    shown = capsys.readouterr()
    error = json.loads(shown.out)["error"]
    assert set(error) == {"code", "message", "next"}
    assert error["code"] == code
    assert named in error["message"]
    assert ended == (ExitCode.USAGE if code == "usage" else ExitCode.DEGRADED)
    assert "Traceback" not in shown.err


def test_without_json_nothing_but_results_is_on_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "x", "--data-dir", str(tmp_path)]) == ExitCode.DEGRADED

    assert capsys.readouterr().out == ""
