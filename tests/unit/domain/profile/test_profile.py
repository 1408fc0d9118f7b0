"""The profile is strict, and says where every fault is."""

from pathlib import Path

import pytest

from contracts.codes import Locale
from domain.profile import CompanyProfile, FiscalYearLabel, ProfileError, load_profile

SAMPLE = Path(__file__).parents[4] / "deploy" / "sample" / "profile.toml"

GOOD = """
[company]
name = "Clearleaf"
default_entity = "HQ"
fiscal_year_start_month = 4

[entities.HQ]
label = { zh = "总部", en = "Head office" }
synonyms = ["headquarters", "清叶"]

[entities.SICHUAN]
fiscal_year_start_month = 1
fiscal_year_label = "start"
synonyms = ["四川", "sichuan"]

[metrics.GMV]
unit = "CNY_M"
synonyms = ["交易额"]

[channels.LIVE]
synonyms = ["直播"]

[competitors]
"竹海茶" = ["四川竹海", "竹海"]
"""


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return tmp_path / "profile.toml"


def message_of(path: Path, source: str) -> str:
    path.write_text(source, encoding="utf-8")
    with pytest.raises(ProfileError) as raised:
        load_profile(path)
    return str(raised.value)


def test_the_sample_profile_loads() -> None:
    profile = load_profile(SAMPLE)

    assert profile.company.default_entity == "ACME_GROUP"
    assert profile.zone.key == "Asia/Hong_Kong"


def test_a_competitor_may_hold_one_of_our_names_inside_a_longer_one(written: Path) -> None:
    written.write_text(GOOD, encoding="utf-8")

    profile = load_profile(written)

    assert profile.competitors == {"竹海茶": ("四川竹海", "竹海")}


def test_an_entity_overrides_the_fiscal_calendar_of_the_company(written: Path) -> None:
    written.write_text(GOOD, encoding="utf-8")

    profile = load_profile(written)

    assert profile.calendar(None).start_month == 4
    assert profile.calendar("SICHUAN").start_month == 1
    assert profile.calendar("SICHUAN").label is FiscalYearLabel.START


def test_a_label_falls_back_to_what_there_is(written: Path) -> None:
    written.write_text(GOOD, encoding="utf-8")

    profile = load_profile(written)

    assert profile.entity_label("HQ", Locale.ZH) == "总部"
    assert profile.entity_label("HQ", Locale.IT) == "Head office"
    assert profile.entity_label("SICHUAN", Locale.EN) == "SICHUAN"
    assert profile.entity_label("ELSEWHERE", Locale.EN) == "ELSEWHERE"


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ('part_of.NOPE = "GMV"', "metrics.GMV.part_of.NOPE: 'NOPE' is not one of [entities]"),
        ('part_of.HQ = "NOPE"', "metrics.GMV.part_of.HQ: 'NOPE' is not another one of [metrics]"),
        ('percent_of.HQ = "GMV"', "metrics.GMV.percent_of.HQ: 'GMV' is not another one of [metrics]"),
    ],
)
def test_a_relation_names_what_the_profile_knows(written: Path, relation: str, expected: str) -> None:
    source = GOOD.replace('unit = "CNY_M"', f'unit = "CNY_M"\n{relation}')

    assert expected in message_of(written, source)


def test_the_digest_depends_on_the_vocabulary_only(written: Path) -> None:
    written.write_text(GOOD, encoding="utf-8")
    digest = load_profile(written).digest()

    written.write_text("# a comment\n" + GOOD, encoding="utf-8")
    commented = load_profile(written).digest()
    written.write_text(GOOD.replace("交易额", "成交额"), encoding="utf-8")
    changed = load_profile(written).digest()

    assert commented == digest
    assert changed != digest


@pytest.mark.parametrize(
    ("change", "with_what", "expected"),
    [
        ('name = "Clearleaf"', 'name = "Clearleaf"\ncolour = "green"', "line 4, company.colour: unknown key"),
        ('default_entity = "HQ"', 'default_entity = "NOPE"', "line 4, company.default_entity: 'NOPE' is not one of"),
        ('"sichuan"]', '"sichuan", " "]', "line 14, entities.SICHUAN.synonyms[2]: ' ' has no letter or digit"),
        ('"sichuan"]', '""]', "line 14, entities.SICHUAN.synonyms[1]: must not be empty"),
        (
            '"sichuan"]',
            '"HEAD-QUARTERS"]',
            "line 14, entities.SICHUAN.synonyms[1]: 'HEAD-QUARTERS' names SICHUAN and HQ",
        ),
        ('"sichuan"]', '"HEAD-QUARTERS"]', "(line 9, entities.HQ.synonyms[0])"),
        (
            '"sichuan"]',
            '"hq"]',
            "line 14, entities.SICHUAN.synonyms[1]: 'hq' names SICHUAN and HQ (line 7, entities.HQ)",
        ),
        ('"sichuan"]', '"總部"]', "(line 8, entities.HQ.label)"),
        ('"竹海"]', '"直播"]', "line 24, competitors.\"竹海茶\"[1]: '直播' names competitor 竹海茶 and our LIVE"),
        ('"竹海茶" =', '"交易额" =', "line 24, competitors.\"交易额\": '交易额' names competitor 交易额 and our GMV"),
        ('"竹海茶" =', "Headquarters =", "'Headquarters' names competitor Headquarters and our HQ (line 9,"),
        ('"竹海茶" =', '"清 叶" = []\n"竹海茶" =', "'清 叶' names competitor 清 叶 and our HQ"),
        ("month = 4", 'month = "4"', "line 5, company.fiscal_year_start_month: must be a whole number"),
        ("month = 4", "month = true", "line 5, company.fiscal_year_start_month: must be a whole number"),
        ("month = 1", 'month = "1"', "line 12, entities.SICHUAN.fiscal_year_start_month: must be a whole number"),
        ("[metrics.GMV]", '[metrics."GMV\\nNET"]', 'line 16, metrics."GMV\\nNET": a code holds no line break'),
        (
            "[entities.SICHUAN]",
            '[entities."SI\\u202eCHUAN"]',
            "a code holds no line break, control or format character",
        ),
        ("[channels.LIVE]", '[channels."LIVE\\u0000"]', 'channels."LIVE\\u0000": a code holds no line break'),
        ('unit = "CNY_M"', 'unit = "CNY\\nM"', "line 17, metrics.GMV.unit: a unit holds no line break"),
        ('unit = "CNY_M"', 'unit = "9999"', "line 17, metrics.GMV.unit: a unit has a letter or a per cent sign"),
        ("[competitors]", '[ambiguous]\n"sales" = ["GMV", "NOPE"]\n[competitors]', "'NOPE' is not one of [metrics]"),
        ("[competitors]", '[ambiguous]\n"sales" = ["GMV"]\n[competitors]', "'sales' names fewer than two metrics"),
        (
            "[metrics.GMV]",
            '[ambiguous]\n"交易额" = ["GMV", "NET"]\n[metrics.NET]\nunit = "CNY_M"\n[metrics.GMV]',
            "'交易额' names 交易额 and GMV",
        ),
        ("[channels.LIVE]", "[channels.TOTAL]", "line 20, channels.TOTAL: TOTAL is built in"),
        ('unit = "CNY_M"', "", "line 16, metrics.GMV.unit: is missing"),
        (
            "fiscal_year_start_month = 4",
            "fiscal_year_start_month = 13",
            "line 5, company.fiscal_year_start_month: must be at most 12",
        ),
        ('"sichuan"]', '"直播"]', "'直播' names channel LIVE and entity SICHUAN (line 14, "),
        (
            "[channels.LIVE]",
            '[ambiguous]\n"清叶" = ["GMV"]\n[channels.LIVE]',
            "'清叶' names metric 清叶 and entity HQ",
        ),
        ('["直播"]', '["gmv"]', "line 21, channels.LIVE.synonyms[0]: 'gmv' names channel LIVE and metric GMV"),
        ('label = { zh = "总部", en = "Head office" }', "label = 3", "line 8, entities.HQ.label: must be a text, or a"),
        (
            'label = { zh = "总部", en = "Head office" }',
            "label = {}",
            "line 8, entities.HQ.label: must be a text, or a",
        ),
        (
            "fiscal_year_start_month = 4",
            'time_zone = "Mars/Olympus"',
            "company.time_zone: unknown time zone 'Mars/Olympus'",
        ),
    ],
)
def test_a_fault_is_told_with_line_key_and_reason(written: Path, change: str, with_what: str, expected: str) -> None:
    message = message_of(written, GOOD.replace(change, with_what, 1))

    assert message.startswith(str(written))
    assert expected in message


def test_all_faults_are_told_at_once(written: Path) -> None:
    message = message_of(written, GOOD.replace('"headquarters"', '""').replace("[channels", "[chanels"))

    assert "2 problems" in message
    assert "line 9, entities.HQ.synonyms[0]: must not be empty" in message
    assert "line 20, chanels: unknown key" in message


def test_a_text_that_is_no_toml_is_told_with_its_line(written: Path) -> None:
    assert "line 2" in message_of(written, "[company]\nname = \n")


@pytest.mark.parametrize(
    "source",
    [f"number = {'1' * 5_000}", f"brackets = {'[' * 20_000}{']' * 20_000}", f"tables = {'{a = ' * 20_000}"],
    ids=["number", "brackets", "tables"],
)
def test_a_hostile_text_is_told_by_name(written: Path, source: str) -> None:
    assert message_of(written, source).startswith(f"{written}: ")


@pytest.mark.parametrize("depth", range(50, 500, 50))
def test_deep_brackets_under_an_unknown_key_are_told_by_name(written: Path, depth: int) -> None:
    assert message_of(written, f"{GOOD}\n[deep]\nlist = {'[' * depth}{']' * depth}").startswith(f"{written}: ")


def test_a_missing_file_is_told_by_name(written: Path) -> None:
    with pytest.raises(ProfileError, match=r"profile\.toml: cannot be read"):
        load_profile(written)


def test_one_alias_written_twice_for_one_code_is_no_fault() -> None:
    profile = CompanyProfile.model_validate(
        {
            "company": {"name": "A", "default_entity": "A"},
            "entities": {"A": {"synonyms": ["a", "A", "acme", "ACME"]}},
            "metrics": {"M": {"unit": "USD"}},
        }
    )

    assert profile.entities["A"].synonyms == ("a", "A", "acme", "ACME")
