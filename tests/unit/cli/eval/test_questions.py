"""Questions and sets of them: what a line may say, and how a wrong one is named."""

import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cli.console import CliError, ExitCode
from cli.eval.questions import Kind, Trap, digest_of, read_questions
from cli.eval.suite import read_suite
from contracts.codes import Locale, OperationKind, PeriodType
from tests.support.profiles import SAMPLE_PATH

TODAY = date(2024, 6, 30)
FACT = {"metric": "REVENUE", "entity": "ACME_HK", "period": "2024", "value": "731.25", "unit": "USD_M"}


def written(folder: Path, *rows: Mapping[str, Any] | str, name: str = "q.jsonl") -> Path:
    path = folder / name
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_question_alone_is_a_structured_one_in_its_own_language(tmp_path: Path) -> None:
    first, second = read_questions(written(tmp_path, {"question": "香港2024营收"}, "", {"question": "hk revenue 2024"}))

    assert (first.id, first.lang, first.kind) == ("1", Locale.ZH, Kind.STRUCTURED)
    assert (second.id, second.lang) == ("3", Locale.EN)


def test_everything_that_a_line_may_say_is_read(tmp_path: Path) -> None:
    row = {
        "id": "a-1",
        "lang": "it",
        "question": "ricavi?",
        "kind": "compare",
        "pack": "one",
        "context": {"default_entity": "ACME_HK", "note": "ignored"},
        "reference_date": "2023-01-31",
        "history": ["before", {"role": "assistant", "text": "yes"}],
        "expect": {"facts": [FACT], "derived": {"value_printed": -12.50, "scale": "percent"}, "gold": ["$7"]},
    }

    (read,) = read_questions(written(tmp_path, row))

    assert (read.lang, read.kind, read.pack, read.default_entity) == (Locale.IT, Kind.COMPARE, "one", "ACME_HK")
    assert (read.reference_date, read.derived, read.gold) == (date(2023, 1, 31), "-12.5", '["$7"]')
    assert [turn.role for turn in read.history] == ["user", "assistant"]
    assert read.facts[0].value == Decimal("731.25")


def test_digits_of_a_number_are_kept_as_written(tmp_path: Path) -> None:
    row = json.dumps({"question": "a", "expect": {"facts": [FACT]}})

    line = row.replace('"731.25"', "0.1000000000000000055")

    assert read_questions(written(tmp_path, line))[0].facts[0].value == Decimal("0.1000000000000000055")


@pytest.mark.parametrize(
    ("period", "kind"), [("2024", PeriodType.FY), ("2024H1", PeriodType.HY), ("2024Q3YTD", PeriodType.YTD)]
)
def test_the_kind_of_a_period_follows_from_its_writing(tmp_path: Path, period: str, kind: PeriodType) -> None:
    row = {"question": "a", "expect": {"facts": [FACT | {"period": period}]}}

    assert read_questions(written(tmp_path, row))[0].facts[0].scope.period.type is kind


@pytest.mark.parametrize(
    ("refusal", "missing"),
    [
        ("missing_period", "period"),
        ("relative_period", "period"),
        ("missing_entity", "entity"),
        ("no such thing", None),
    ],
)
def test_what_a_question_leaves_open_on_purpose_is_read(tmp_path: Path, refusal: str, missing: str | None) -> None:
    row = {"question": "a", "kind": "ambiguous", "expect": {"refusal": refusal}}

    assert read_questions(written(tmp_path, row))[0].missing == missing


def test_an_expectation_in_one_word_makes_a_trap(tmp_path: Path) -> None:
    rows = [
        {"question": "a", "kind": "ratio", "expect": "asked"},
        {"question": "b", "expect": "answered:REVENUE/ACME_HK/2024, ROE/ACME_HK/2024/AGENCY"},
        {"question": "c", "profile": "ratios", "expect": "growth:REVENUE/ACME_HK/2024, REVENUE/ACME_HK/2023"},
    ]

    first, second, third = read_questions(written(tmp_path, *rows))

    assert (first.kind, first.subkind, first.trap) == (Kind.TRAP, "ratio", Trap("asked"))
    assert (third.pack, third.trap and third.trap.computed) == ("ratios", OperationKind.GROWTH)
    assert second.trap == Trap("answered", ("REVENUE/ACME_HK/2024", "ROE/ACME_HK/2024/AGENCY"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "line 1: is no JSON object"),
        ("[]", "line 1: is no JSON object"),
        ("{}", "line 1: question: "),
        ('{"question": " "}', "line 1: question: the question is empty or blank"),
        ('{"question": "a", "kind": "other"}', "line 1: kind: 'other' is none of structured, compare"),
        ('{"question": "a", "expect": "maybe"}', "line 1: expect: 'maybe' is none of asked, refused, answered:"),
        ('{"question": "a", "expect": "answered:REVENUE"}', "line 1: expect: 'answered:REVENUE'"),
        ('{"question": "a", "expect": {"facts": [{}]}}', "line 1: expect.facts.0.metric: Field required"),
        ('{"question": "a", "reference_date": "soon"}', "line 1: reference_date: "),
        ('{"question": "a", "lang": "xx"}', "line 1: lang: "),
        (json.dumps({"question": "a", "expect": {"facts": [FACT | {"value": "1e3"}]}}), "expect.facts.0.value: "),
        (
            json.dumps({"question": "a", "expect": {"facts": [FACT | {"period": "24"}]}}),
            "expect.facts.0: period is not",
        ),
    ],
)
def test_a_wrong_line_is_named_with_its_field(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(CliError) as raised:
        read_questions(written(tmp_path, line))

    assert raised.value.code is ExitCode.USAGE
    assert said in raised.value.message


def test_a_repeated_id_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CliError, match="two questions have the id 'x'"):
        read_questions(written(tmp_path, {"id": "x", "question": "a"}, {"id": "x", "question": "b"}))


@pytest.mark.parametrize("lines", [(), ("", " ")])
def test_a_file_without_questions_is_refused(tmp_path: Path, lines: tuple[str, ...]) -> None:
    with pytest.raises(CliError, match="holds no questions"):
        read_questions(written(tmp_path, *lines))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CliError, match=r"none\.jsonl: cannot be read"):
        read_questions(tmp_path / "none.jsonl")


def test_the_digest_follows_the_questions_and_not_their_order(tmp_path: Path) -> None:
    one, two = read_questions(written(tmp_path, {"question": "a"}, {"question": "b"}))

    assert digest_of([one, two]) == digest_of([two, one])
    assert digest_of([one]) != digest_of([two])


def suite(folder: Path, text: str) -> Path:
    written(folder, {"question": "a", "pack": "one"}, {"question": "b"})
    path = folder / "set.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_set_chooses_questions_and_names_files_beside_it(tmp_path: Path) -> None:
    path = suite(
        tmp_path,
        'reference_date = 2023-12-31\n[packs.x]\nquestions = ["q.jsonl"]\nonly = ["one"]\nprofile = "p.toml"\n'
        '[packs.y]\nquestions = ["q.jsonl"]\nfacts = ["f.csv"]\nreference_date = 2022-12-31\n'
        '[packs.y.from_csv]\nmetrics = "m.csv"',
    )

    x, y = read_suite(path, None, TODAY)

    assert ([q.text for q in x.questions], x.reference_date, x.profile) == (
        ["a"],
        date(2023, 12, 31),
        tmp_path / "p.toml",
    )
    assert (len(y.questions), y.reference_date, y.facts) == (2, date(2022, 12, 31), [tmp_path / "f.csv"])
    assert y.glossaries is not None
    assert y.glossaries.metrics == tmp_path / "m.csv"


def test_the_files_of_a_set_may_lie_elsewhere(tmp_path: Path) -> None:
    elsewhere = tmp_path / "data"
    elsewhere.mkdir()
    written(elsewhere, {"question": "c"})
    path = suite(tmp_path, f'[packs.x]\nquestions = ["q.jsonl"]\nprofile = "{SAMPLE_PATH}"')

    (pack,) = read_suite(path, elsewhere, TODAY)

    assert ([q.text for q in pack.questions], pack.reference_date) == (["c"], TODAY)
    assert pack.make_profile(tmp_path)[0] == SAMPLE_PATH


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("packs = 1 2", "is no TOML"),
        ("", "packs: Field required"),
        ("[packs.x]\nquestions = []", "packs.x.questions: "),
        ('[packs.x]\nquestions = ["q.jsonl"]\nother = 1', "packs.x.other: "),
        ('[packs.x]\nquestions = ["q.jsonl"]', "packs.x: give either profile or from_csv"),
        ('[packs.x]\nquestions = ["q.jsonl"]\n[packs.x.from_csv]', "packs.x: from_csv needs one file of facts"),
        ('[packs.x]\nquestions = ["q.jsonl"]\nprofile = "p"\nonly = ["no"]', "packs.x: no question has such a pack"),
    ],
)
def test_a_wrong_set_is_named_with_its_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(CliError) as raised:
        read_suite(suite(tmp_path, text), None, TODAY)

    assert raised.value.code is ExitCode.USAGE
    assert said in raised.value.message
