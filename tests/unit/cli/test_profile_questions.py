"""`ragspine profile check QUESTIONS`: what is read from the file, and what the report counts."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.console import CliError, ExitCode
from cli.profile import app
from cli.profile.questions import Report, parse_all, read_questions, report_on
from contracts.v1.intent import ParsedIntent, ParseIntent
from services.intent.parser import RuleIntentParser
from tests.support.profiles import REFERENCE_DATE, acme

PARSER = RuleIntentParser(acme())


async def parse(question: ParseIntent) -> ParsedIntent:
    return PARSER.parse(question.question, reference_date=REFERENCE_DATE, default_entity=question.default_entity)


async def report(*questions: str) -> Report:
    asked = [ParseIntent(question=question) for question in questions]
    return report_on(asked, await parse_all(asked, parse))


def written(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_json_lines_may_say_day_and_entity(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "q.jsonl",
        json.dumps({"question": "hk revenue", "reference_date": "2024-06-30", "default_entity": "ACME_CN"}),
        "",
        json.dumps({"question": "roe", "context": {"default_entity": "ACME_HK", "page": 3}, "kind": "structured"}),
    )

    first, second = read_questions(path)

    assert (first.question, str(first.reference_date), first.default_entity) == ("hk revenue", "2024-06-30", "ACME_CN")
    assert (second.question, second.reference_date, second.default_entity) == ("roe", None, "ACME_HK")


def test_any_other_file_holds_one_question_a_line(tmp_path: Path) -> None:
    path = written(tmp_path, "q.txt", "香港2024营收", "  hk revenue  ", "")

    assert [question.question for question in read_questions(path)] == ["香港2024营收", "hk revenue"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ((), "holds no questions"),
        (('{"question": "a"}', "nonsense"), "line 2: is no JSON object"),
        (('"a"',), "line 1: is no JSON object"),
        (('{"query": "a"}',), "line 1: question: "),
        ((json.dumps({"question": "a" * 2001}),), "line 1: question: "),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, lines: tuple[str, ...], expected: str) -> None:
    with pytest.raises(CliError) as raised:
        read_questions(written(tmp_path, "q.jsonl", *lines))

    assert raised.value.code is ExitCode.USAGE
    assert expected in raised.value.message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CliError, match=r"none\.jsonl: cannot be read"):
        read_questions(tmp_path / "none.jsonl")


async def test_words_are_counted_in_all_their_writings() -> None:
    found = await report("hk 2024 Embedded revenue", "hk EMBEDDED revenue", "hk blorp revenue", "香港2024營收")

    assert [(word.text.lower(), word.kind, word.count) for word in found.words] == [
        ("embedded", "qualifier", 2),
        ("blorp", "unknown", 1),
    ]
    assert found.words[0].example == "hk 2024 Embedded revenue"


async def test_questions_are_counted_by_what_became_of_them() -> None:
    found = await report("hk revenue 2024", "hk blorp revenue", "香港2024合同负债是多少", "what is the strategy of hk")

    assert (found.questions, found.understood, found.without_metric, found.narrative) == (4, 1, 1, 1)
    assert found.profile_digest == acme().digest()


async def test_a_word_says_how_many_questions_it_alone_stands_in_the_way_of() -> None:
    found = await report(
        "hk blorp revenue", "hk blorp revenue 2024", "hk blorp embedded revenue", "hk blorp blorp revenue"
    )

    assert {word.text: word.alone for word in found.words} == {"blorp": 2, "blorp blorp": 1, "embedded": 0}
    assert found.unmatched == 4


def test_without_a_stack_the_command_says_how_to_start_one(tmp_path: Path) -> None:
    path = written(tmp_path, "q.txt", "hk revenue")

    error = CliRunner().invoke(app, ["check", str(path), "--data-dir", str(tmp_path)]).exception

    assert isinstance(error, CliError)
    assert error.code is ExitCode.DEGRADED
    assert "RAGSPINE_NATS_URL" in error.hint


def test_a_bus_that_is_away_ends_at_once(tmp_path: Path) -> None:
    path = written(tmp_path, "q.txt", "hk revenue")

    error = CliRunner().invoke(app, ["check", str(path), "--nats-url", "nats://127.0.0.1:1"]).exception

    assert isinstance(error, CliError)
    assert error.code is ExitCode.DEGRADED
    assert "bus" in error.message
