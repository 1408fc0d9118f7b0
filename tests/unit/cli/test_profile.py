"""`ragspine profile check` and `show`."""

from pathlib import Path

from typer.testing import CliRunner

from cli.console import CliError, ExitCode
from cli.profile import app

SAMPLE = Path(__file__).parents[3] / "deploy" / "sample" / "profile.toml"


def test_check_names_the_digest_of_a_valid_profile() -> None:
    result = CliRunner().invoke(app, ["check", str(SAMPLE)])

    assert result.exit_code == ExitCode.OK
    assert "valid, digest " in result.stdout


def test_check_tells_every_fault_with_line_and_key(tmp_path: Path) -> None:
    broken = tmp_path / "profile.toml"
    source = SAMPLE.read_text(encoding="utf-8")
    broken.write_text(source.replace('"acme cn"', '"hk"').replace("strict = false", "strikt = false"), encoding="utf-8")

    error = CliRunner().invoke(app, ["check", str(broken)]).exception

    assert isinstance(error, CliError)
    assert error.code is ExitCode.USAGE
    assert "sensitivity.strikt: unknown key" in error.message


def test_show_lists_codes_with_their_names() -> None:
    result = CliRunner().invoke(app, ["show", str(SAMPLE), "--locale", "zh"])

    assert result.exit_code == ExitCode.OK
    assert "ACME Group: default entity ACME_GROUP" in result.stdout
    assert "净资产收益率" in result.stdout
    assert "competitor" in result.stdout


def test_show_says_what_is_computed_from_what(tmp_path: Path) -> None:
    path = tmp_path / "profile.toml"
    margin = '[derived.MARGIN]\nnumerator = "PROFIT"\ndenominator = "REVENUE"\nsynonyms = ["profit margin"]\n'
    path.write_text(SAMPLE.read_text(encoding="utf-8") + margin, encoding="utf-8")

    result = CliRunner().invoke(app, ["show", str(path)])

    assert "derived    MARGIN  MARGIN [PCT] = PROFIT / REVENUE  profit margin" in result.stdout


def test_show_says_which_names_are_asked_back(tmp_path: Path) -> None:
    path = tmp_path / "profile.toml"
    path.write_text(
        SAMPLE.read_text(encoding="utf-8") + '[ambiguous]\nsales = ["REVENUE", "NEWSALES"]\n', encoding="utf-8"
    )

    result = CliRunner().invoke(app, ["show", str(path)])

    assert "ambiguous  sales  asked back  REVENUE | NEWSALES" in result.stdout
