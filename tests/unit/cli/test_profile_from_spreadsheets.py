"""Tables for a profile, as spreadsheet programs save them."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.console import CliError
from cli.profile import app

LINES = (
    "metric_code,entity,period_type,period,value,unit,metric_label",
    "REV,HQ,FY,2023,1,USD,Vendite nette",
    ",,,,,,",
)


def _build(path: Path) -> str:
    result = CliRunner().invoke(app, ["from-csv", str(path), "--quiet"])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


@pytest.mark.parametrize(("first", "delimiter"), [("", ","), ("", ";"), ("", "\t"), ("sep=;\n", ";")])
def test_separators_and_empty_rows_are_understood(tmp_path: Path, first: str, delimiter: str) -> None:
    path = tmp_path / "facts.csv"
    path.write_text(first + "\n".join(LINES).replace(",", delimiter), encoding="utf-8")

    assert "[metrics.REV]" in _build(path)


def test_another_encoding_is_named_with_the_way_out(tmp_path: Path) -> None:
    path = tmp_path / "facts.csv"
    path.write_bytes("\n".join(LINES).replace("Vendite nette", "利润总额").encode("gbk"))

    with pytest.raises(CliError, match=r"facts\.csv:2: is not UTF-8, but probably gb18030.*iconv"):
        _build(path)
