"""A profile built from tables means one thing by every name, and says what it left out."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.console import CliError, ExitCode
from cli.profile import app
from domain.glossary import Glossary
from domain.profile import CompanyProfile, load_profile
from tests.unit.cli.profile_tables import fact, write_facts, write_table

METRIC_COLUMNS = ("metric_code", "metric_label", "unit", "aliases")
ENTITY_COLUMNS = ("entity_code", "entity_label", "full_name", "dropped_year")
CONCEPT_COLUMNS = ("concept", "metric_codes", "aliases_seen_in_questions")


class Made:
    """A profile, its text, and what the command reported."""

    def __init__(self, text: str, report: str, profile: CompanyProfile) -> None:
        self.text, self.report, self.profile = text, report, profile
        self.glossary = Glossary(profile)


def make(folder: Path, *rows: Sequence[str], options: Sequence[str] = ()) -> Made:
    facts, out = write_facts(folder / "facts.csv", *rows), folder / "profile.toml"
    arguments = ["from-csv", str(facts), "--out", str(out), "--force", *options]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return Made(out.read_text(encoding="utf-8"), " ".join(result.stderr.split()), load_profile(out))


def test_labels_become_names(tmp_path: Path) -> None:
    made = make(tmp_path, fact("NET_SALES", "Net sales"), fact("TOTAL_ASSETS", "Total assets"))

    assert made.glossary.resolve_metric("net sales") == "NET_SALES"
    assert made.glossary.resolve_metric("Total Assets") == "TOTAL_ASSETS"
    assert made.profile.metrics["NET_SALES"].unit == "USD_M"


def test_a_label_over_two_lines_or_with_a_footnote_is_read_as_its_words(tmp_path: Path) -> None:
    made = make(tmp_path, fact("OTHER_GAINS", "Other\n gains1"), fact("TIER", "Common equity tier 1"))

    assert made.glossary.resolve_metric("Other gains") == "OTHER_GAINS"
    assert made.glossary.resolve_metric("common equity tier") is None


def test_a_name_of_two_metrics_is_left_out_and_reported(tmp_path: Path) -> None:
    made = make(tmp_path, fact("TAX_TEA", "Tea leaves", "1"), fact("SALES_TEA", "Tea leaves", "2"))

    assert made.glossary.resolve_metric("tea leaves") is None
    assert "left out: 'Tea leaves' could mean metrics SALES_TEA, metrics TAX_TEA" in made.report


@pytest.mark.parametrize("label", ["Total", "Other, net", "Basic (in shares)", "Less: Current"])
def test_a_label_that_says_nothing_alone_is_no_name(tmp_path: Path, label: str) -> None:
    made = make(tmp_path, fact("LONG_CODE", label))

    assert made.glossary.resolve_metric(label.split(",")[0].split(" (")[0].removeprefix("Less: ")) is None


def test_a_total_is_called_without_the_word_where_nothing_else_is(tmp_path: Path) -> None:
    rows = (
        fact("TOTAL_ASSETS_NOW", "Total current assets"),
        fact("COSTS", "Other costs"),
        fact("TOTAL_COSTS", "Total other costs"),
        fact("ALL_SALES", "Total sales"),
    )

    made = make(tmp_path, *rows)

    assert made.glossary.resolve_metric("current assets") == "TOTAL_ASSETS_NOW"
    assert made.glossary.resolve_metric("other costs") == "COSTS"
    assert made.glossary.resolve_metric("total other costs") == "TOTAL_COSTS"
    assert made.glossary.resolve_metric("sales") is None
    assert made.glossary.resolve_metric("assets") is None


def test_codes_with_one_label_and_the_same_numbers_are_one_metric(tmp_path: Path) -> None:
    rows = (fact("SALES", "Net sales"), fact("SALES", "Net sales", "2", period="2022"), fact("REVENUE", "Net sales"))

    made = make(tmp_path, *rows)

    assert made.profile.metrics["SALES"].source_codes == ("REVENUE",)
    assert "REVENUE" not in made.profile.metrics
    assert "one metric: SALES: REVENUE" in made.report


@pytest.mark.parametrize(
    "other",
    [
        fact("OTHER_SALES", "Net sales", "9"),
        fact("OTHER_SALES", "Net sales", unit="USD_K"),
        fact("OTHER_SALES", "Net sales", period="2022"),
    ],
    ids=["another number", "another unit", "never met"],
)
def test_codes_with_one_label_stay_apart_unless_the_facts_agree(tmp_path: Path, other: tuple[str, ...]) -> None:
    made = make(tmp_path, fact("SALES", "Net sales"), other)

    assert made.profile.metrics["SALES"].source_codes == ()
    assert made.glossary.resolve_metric("net sales") is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("GOODWILL_1", "Goodwill (1)"), ("GOODWILL", "Goodwill")),
        (("SERVICE_FEE", "Service fee"), ("SERVICE_FEES", "Service fees")),
        (("NET_SALES", "Net sales"), ("SALES_NET", "Sales, net")),
        (("OPERATING_ACTIVITIES", "Operating activities"), ("CASH", "Cash provided by operating activities")),
        (("LESS_TAXES", "Less: Taxes"), ("TAXES", "Taxes")),
    ],
)
def test_codes_that_mean_the_same_are_one_metric(tmp_path: Path, one: tuple[str, str], other: tuple[str, str]) -> None:
    code, label = other
    code = label.upper().replace(" ", "_") if code == "CASH" else code

    made = make(tmp_path, fact(*one), fact(code, label, entity="BREW", entity_label="Brew"))

    assert len(made.profile.metrics) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("GOODWILL_1", "Goodwill (1)"), ("GOODWILL", "Goodwill")),
        (("SERVICE_FEE", "Service fee"), ("SERVICE_FEES", "Service fees")),
        (("NET_SALES", "Net sales"), ("SALES_NET", "Sales, net")),
    ],
)
def test_codes_with_different_figures_in_one_scope_stay_apart(
    tmp_path: Path, one: tuple[str, str], other: tuple[str, str]
) -> None:
    assert len(make(tmp_path, fact(*one, "1"), fact(*other, "2")).profile.metrics) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("TEA_2", "Tea"), ("TEA", "Tea")),
        (("NET_SALES", "Net sales"), ("GROSS_SALES", "Gross sales")),
        (("CASH_USED_IN_OPERATING_ACTIVITIES", "Cash used in operating activities"), ("OPERATING_ACTIVITIES", "")),
        (("TOTAL_COSTS", "Total costs"), ("COSTS", "Costs")),
        (("INVESTING_ACTIVITIES", ""), ("OPERATING_ACTIVITIES", "")),
        (("OTHER_1", "Other (1)"), ("OTHER", "Other")),
    ],
)
def test_codes_that_may_mean_something_else_stay_apart(
    tmp_path: Path, one: tuple[str, str], other: tuple[str, str]
) -> None:
    made = make(tmp_path, fact(*one), fact(*other, entity="BREW", entity_label="Brew"))

    assert len(made.profile.metrics) == 2


def test_codes_that_are_spelled_alike_are_one_metric(tmp_path: Path) -> None:
    made = make(tmp_path, fact("TOTALASSETS", "Totalassets", "1"), fact("TOTAL_ASSETS", "Total assets", "2"))

    assert made.profile.metrics["TOTAL_ASSETS"].source_codes == ("TOTALASSETS",)


def test_a_concept_gathers_codes_that_never_disagree(tmp_path: Path) -> None:
    concepts = write_table(tmp_path / "c.csv", CONCEPT_COLUMNS, ("revenue", "REVENUES|NET_SALES", "revenue|turnover"))
    rows = (fact("NET_SALES", "Net sales"), fact("REVENUES", "Revenues", entity="BREW", entity_label="Brew"))

    made = make(tmp_path, *rows, options=["--aliases", str(concepts)])

    assert made.profile.metrics["REVENUES"].source_codes == ("NET_SALES",)
    assert made.glossary.resolve_metric("turnover") == "REVENUES"
    assert made.glossary.resolve_metric("net sales") == "REVENUES"


def test_a_concept_of_codes_that_disagree_gives_each_only_the_names_that_say_which(tmp_path: Path) -> None:
    concepts = write_table(
        tmp_path / "c.csv",
        CONCEPT_COLUMNS,
        ("EPS", "EPS_DILUTED|EPS_BASIC", "earnings|diluted earnings|basic earnings"),
    )
    rows = (fact("EPS_DILUTED", "Diluted", "1.5"), fact("EPS_BASIC", "Basic", "1.6"))

    made = make(tmp_path, *rows, options=["--aliases", str(concepts)])

    assert made.glossary.resolve_metric("diluted earnings") == "EPS_DILUTED"
    assert made.glossary.resolve_metric("basic earnings") == "EPS_BASIC"
    assert made.glossary.resolve_metric("earnings") is None
    assert made.profile.ambiguous == {"earnings": ("EPS_BASIC", "EPS_DILUTED")}
    assert "left out: 'earnings' could mean metrics EPS_DILUTED, metrics EPS_BASIC" in made.report


def test_a_cash_flow_line_does_not_take_the_name_of_the_balance(tmp_path: Path) -> None:
    made = make(tmp_path, fact("INCREASE_DECREASE_IN_INVENTORIES", "Inventories"))

    assert made.glossary.resolve_metric("inventories") is None
    assert "'Inventories' alone does not mean INCREASE_DECREASE_IN_INVENTORIES" in made.report


def test_a_label_that_reads_as_a_period_is_no_name(tmp_path: Path) -> None:
    made = make(tmp_path, fact("DUE_IN_YEAR_TWO", "2024"), fact("Q", "Third quarter"))

    assert made.profile.metrics["DUE_IN_YEAR_TWO"].synonyms == ()
    assert "'2024' reads as a period" in made.report
    assert "'Third quarter' reads as a period" in made.report


def test_glossaries_add_names_and_entities(tmp_path: Path) -> None:
    metrics = write_table(tmp_path / "m.csv", METRIC_COLUMNS, ("ASSETS", "资产总计", "CNY", "总资产|资产总额"))
    entities = write_table(
        tmp_path / "e.csv", ENTITY_COLUMNS, ("600001", "清叶茶业", "清叶(集团)茶业股份有限公司", "2019")
    )
    options = ["--metrics", str(metrics), "--entities", str(entities)]

    made = make(tmp_path, fact("ASSETS", "资产总计", entity="600001", entity_label="清叶茶业"), options=options)

    assert made.glossary.resolve_metric("资产总额") == "ASSETS"
    for name in ("600001", "清叶茶业", "清叶（集团）茶业股份有限公司", "清叶集团茶业", "清叶茶业股份有限公司"):
        assert made.glossary.resolve_entity(name) == "600001"


@pytest.mark.parametrize(
    ("label", "asked"),
    [
        ("Acme Tea, Inc.", "Acme Tea"),
        ("Acme Corporation", "Acme"),
        ("Acme Inc. - Greater China Segment", "Greater China"),
        ("Acme Inc. - Greater China", "Acme's Greater China"),
    ],
)
def test_a_company_may_be_asked_for_by_its_short_name(tmp_path: Path, label: str, asked: str) -> None:
    made = make(tmp_path, fact("SALES", "Sales", entity="X1", entity_label=label))

    assert made.glossary.resolve_entity(asked) == "X1"


def test_a_label_of_two_companies_names_neither(tmp_path: Path) -> None:
    rows = (fact("SALES", "Sales", entity=code, entity_label="(not named)") for code in ("A1", "B2"))

    made = make(tmp_path, *rows)

    assert made.profile.entities["A1"].synonyms == ()
    assert made.profile.entities["A1"].label is None
    assert "'(not named)' could mean entities A1, entities B2" in made.report


def test_channels_are_named_by_the_words_of_their_code(tmp_path: Path) -> None:
    made = make(tmp_path, fact("SALES", "Sales"), fact("SALES", "Sales", channel="I_PHONE"))

    assert made.glossary.resolve_channel("iPhone") == "I_PHONE"
    assert list(made.profile.channels) == ["I_PHONE"]


def test_the_entity_with_most_facts_is_the_default_one(tmp_path: Path) -> None:
    rows = (
        fact("SALES", "Sales", entity="B", entity_label="Brew"),
        fact("COST", "Cost", entity="B", entity_label="Brew"),
    )

    assert make(tmp_path, fact("SALES", "Sales"), *rows).profile.company.default_entity == "B"


def test_options_set_name_default_entity_and_calendar(tmp_path: Path) -> None:
    options = [
        "--name",
        "Tea",
        "--default-entity",
        "ACME",
        "--time-zone",
        "Asia/Tokyo",
        "--fiscal-year-start-month",
        "4",
    ]

    company = make(tmp_path, fact("SALES", "Sales"), options=options).profile.company

    assert (company.name, company.default_entity, company.time_zone) == ("Tea", "ACME", "Asia/Tokyo")
    assert company.fiscal_year_start_month == 4


def test_the_same_tables_give_the_same_text(tmp_path: Path) -> None:
    rows = (fact("B", "Beta"), fact("A", "Alpha"), fact("A", "Alfa"))

    assert make(tmp_path, *rows).text == make(tmp_path, *rows).text


def test_a_file_that_exists_is_written_over_only_when_that_is_said(tmp_path: Path) -> None:
    facts, out = write_facts(tmp_path / "facts.csv", fact("A", "Alpha")), tmp_path / "profile.toml"
    out.write_text("edited by hand")

    refused = CliRunner().invoke(app, ["from-csv", str(facts), "--out", str(out)]).exception

    assert isinstance(refused, CliError)
    assert "--force" in refused.hint
    assert out.read_text() == "edited by hand"


def test_a_code_with_signs_is_written_as_valid_toml(tmp_path: Path) -> None:
    made = make(tmp_path, fact('A.B "x"', 'A "quoted" \\ label'))

    assert made.profile.metrics['A.B "x"'].label is not None


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "lacks the column metric_code"),
        ("metric_code,period_type,period,value,unit\n", "lacks the column entity_code or entity"),
        ("metric_code,entity,period_type,period,value,unit\n", "holds no facts"),
        ("metric_code,entity,period_type,period,value,unit\nA,,FY,2023,1,USD\n", "line 2: metric, entity and unit"),
        ('metric_code,entity,period_type,period,value,unit\n"A\n', "is no CSV text"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_by_name(tmp_path: Path, content: str, expected: str) -> None:
    facts = tmp_path / "facts.csv"
    facts.write_text(content, encoding="utf-8")

    error = CliRunner().invoke(app, ["from-csv", str(facts)]).exception

    assert isinstance(error, CliError)
    assert error.code is ExitCode.USAGE
    assert str(facts) in error.message
    assert expected in error.message


def test_an_unknown_default_entity_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    facts = write_facts(tmp_path / "facts.csv", fact("SALES", "Sales"))

    error = CliRunner().invoke(app, ["from-csv", str(facts), "--default-entity", "NOPE"]).exception

    assert isinstance(error, CliError)
    assert "NOPE" in error.message
    assert "ACME" in error.hint


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    error = CliRunner().invoke(app, ["from-csv", str(tmp_path / "none.csv")]).exception

    assert isinstance(error, CliError)
    assert "none.csv: cannot be read" in error.message


def percent(metric: str, value: str, period: str = "2023") -> tuple[str, ...]:
    return fact(metric, metric.title(), value, unit="PERCENT", period=period)


def test_percentages_of_a_base_of_one_hundred_are_said_to_be_so(tmp_path: Path) -> None:
    made = make(tmp_path, *(percent(m, v, p) for m, v in (("SALES", "100"), ("COST", "55")) for p in ("2022", "2023")))

    assert made.profile.metrics["COST"].percent_of == {"ACME": "SALES"}
    assert made.profile.metrics["SALES"].percent_of == {}


@pytest.mark.parametrize(
    "rows",
    [
        (percent("SALES", "100"), percent("COST", "55"), percent("COST", "50", "2022")),
        (percent("SALES", "100"), percent("OTHERS", "100"), percent("COST", "55")),
        (percent("SALES", "99"), percent("COST", "55")),
        (percent("SALES", "100"), percent("COST", "55"), fact("COST", "Cost", "7", period="2021")),
        (fact("SALES", "Sales", "100"), percent("COST", "55")),
    ],
    ids=["no base in one year", "two bases", "not the whole", "an amount too", "an amount of 100"],
)
def test_percentages_without_a_proven_base_are_not(tmp_path: Path, rows: Sequence[tuple[str, ...]]) -> None:
    assert make(tmp_path, *rows).profile.metrics["COST"].percent_of == {}


def table_row(row: int, metric: str, *figures: str, table: int = 1, unit: str = "USD_M") -> list[tuple[str, ...]]:
    years = ("2023", "2022")
    made: list[tuple[str, ...]] = []
    for year, figure in zip(years, figures, strict=False):
        line = list(fact(metric, metric.title(), figure, period=year, unit=unit))
        line[-2] = f"table={table},row={row}:{metric},col={year}"
        made.append(tuple(line))
    return made


def test_lines_that_add_up_to_the_line_below_are_its_parts(tmp_path: Path) -> None:
    rows = [
        *table_row(1, "CERAMIC", "3", "5"),
        *table_row(2, "GLASS", "4", "1"),
        *table_row(3, "COMPONENTS", "7", "6"),
        *table_row(4, "DEVICES", "10", "10.5"),
        *table_row(5, "NET_SALES", "17", "16.5"),
    ]

    metrics = make(tmp_path, *rows).profile.metrics

    assert {code: metric.part_of.get("ACME") for code, metric in metrics.items()} == {
        "CERAMIC": "COMPONENTS",
        "COMPONENTS": "NET_SALES",
        "DEVICES": "NET_SALES",
        "GLASS": "COMPONENTS",
        "NET_SALES": None,
    }


@pytest.mark.parametrize(
    "rows",
    [
        [*table_row(1, "TEA", "3", "5"), *table_row(2, "MILK", "4", "1"), *table_row(3, "SALES", "7", "7")],
        [*table_row(1, "TEA", "3"), *table_row(2, "MILK", "4"), *table_row(3, "SALES", "7")],
        [*table_row(1, "TEA", "3", "5"), *table_row(2, "SALES", "3", "5")],
        [*table_row(1, "TEA", "3", "5"), *table_row(2, "MILK", "4", "1", unit="USD"), *table_row(3, "SALES", "7", "6")],
        [
            *table_row(1, "TEA", "3", "5"),
            *table_row(2, "MILK", "4", "1"),
            *table_row(3, "SALES", "7", "6"),
            *table_row(1, "TEA", "3", "5", table=2),
        ],
        [*table_row(1, "TEA", "3", "5"), *table_row(2, "MILK", "4", "1"), *table_row(3, "TOTAL", "7", "6")],
    ],
    ids=["not in every column", "one column", "one part", "another unit", "in two tables", "a total of what"],
)
def test_lines_that_may_add_up_by_chance_are_no_parts(tmp_path: Path, rows: Sequence[tuple[str, ...]]) -> None:
    assert make(tmp_path, *rows).profile.metrics["TEA"].part_of == {}


def dated(kind: str, period: str, column: str) -> tuple[str, ...]:
    line = list(fact("SALES", "Sales", period=period))
    line[4], line[-2] = kind, f"page=6,row=Balance at May 1, 2019,col={column}"
    return tuple(line)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([dated("FY", "2022", "September 24, 2022"), dated("FY", "2021", "2021-09-25")], (10, "end")),
        ([dated("QUARTER", "2022Q3", "Three Months Ended June 25, 2022")], (10, "end")),
        ([dated("FY", "2019", "4:June 30, 2019")], (7, "end")),
        ([dated("FY", "2022", "January 29, 2023")], (2, "start")),
        ([dated("FY", "2022", "December 31, 2022")], (None, None)),
        ([dated("FY", "2022", "2022")], (None, None)),
        ([dated("FY", "2022", "June 30, 2022"), dated("FY", "2021", "March 31, 2021")], (None, None)),
        ([dated("FY", "2022", "June 15, 2022")], (None, None)),
    ],
)
def test_dated_columns_tell_the_fiscal_calendar(
    tmp_path: Path, rows: Sequence[tuple[str, ...]], expected: tuple[int | None, str | None]
) -> None:
    entity = make(tmp_path, *rows).profile.entities["ACME"]

    assert (entity.fiscal_year_start_month, entity.fiscal_year_label) == expected
