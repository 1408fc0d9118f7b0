"""Derived metrics: declared in the profile, computed, and never stored."""

from pathlib import Path

import pytest

from domain.profile import CompanyProfile, ProfileError, load_profile
from tests.support.profiles import SAMPLE_PATH, acme

MARGIN = """
[derived.PROFIT_MARGIN]
numerator = "PROFIT"
denominator = "REVENUE"
label = { en = "Profit margin", zh = "营运利润率" }
synonyms = ["margin of profit"]
"""


def loaded(folder: Path, tables: str) -> CompanyProfile:
    path = folder / "profile.toml"
    path.write_text(SAMPLE_PATH.read_text(encoding="utf-8") + tables, encoding="utf-8")
    return load_profile(path)


def test_a_derived_metric_is_two_stored_ones_and_a_unit(tmp_path: Path) -> None:
    margin = loaded(tmp_path, MARGIN).derived["PROFIT_MARGIN"]

    assert (margin.numerator, margin.denominator, margin.unit) == ("PROFIT", "REVENUE", "PCT")


def test_it_is_part_of_the_identity_of_the_vocabulary(tmp_path: Path) -> None:
    assert loaded(tmp_path, MARGIN).digest() != acme().digest()


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        (MARGIN.replace("PROFIT_MARGIN", "ROE"), "'ROE' is stored as a figure already"),
        (MARGIN.replace('"REVENUE"', '"SALES"'), "derived.PROFIT_MARGIN.denominator: 'SALES' is not one of [metrics]"),
        (MARGIN.replace('"REVENUE"', '"PROFIT"'), "'PROFIT' is the numerator as well"),
        (MARGIN.replace('"REVENUE"', '"ROE"'), "'PROFIT' is in USD_M and 'ROE' in PCT: a ratio needs one unit"),
        (MARGIN.replace("margin of profit", "营收"), "'营收' names PROFIT_MARGIN and REVENUE"),
        (MARGIN.replace("margin of profit", "竞安"), "names competitor"),
        (MARGIN + "scale = 2\n", "derived.PROFIT_MARGIN.scale: unknown key"),
        (MARGIN + 'unit = "7"\n', "a unit has a letter or a per cent sign"),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path: Path, tables: str, message: str) -> None:
    with pytest.raises(ProfileError) as raised:
        loaded(tmp_path, tables)

    assert message in str(raised.value)
    assert "line " in str(raised.value)


def test_a_further_stored_code_of_a_metric_cannot_be_derived(tmp_path: Path) -> None:
    path = tmp_path / "profile.toml"
    source = SAMPLE_PATH.read_text(encoding="utf-8").replace(
        "[metrics.PROFIT]\n", '[metrics.PROFIT]\nsource_codes = ["PROFIT_MARGIN"]\n'
    )
    path.write_text(source + MARGIN, encoding="utf-8")

    with pytest.raises(ProfileError, match="what is computed cannot be stored"):
        load_profile(path)
