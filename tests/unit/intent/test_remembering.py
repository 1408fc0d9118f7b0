"""What is remembered of a parse is the parse itself, for that very question, day and entity."""

from datetime import date

from contracts.codes import Route
from contracts.v1.intent import ParsedIntent
from services.intent.remembering import RememberingParser

TODAY = date(2025, 6, 30)


class CountingParser:
    """Counts what it reads and says so in its slots."""

    def __init__(self) -> None:
        self.read: list[tuple[str, date, str | None]] = []

    def parse(self, question: str, *, reference_date: date, default_entity: str | None = None) -> ParsedIntent:
        self.read.append((question, reference_date, default_entity))
        return ParsedIntent(route=Route.STRUCTURED, metrics=(f"M{len(self.read)}",), profile_digest="d")


def test_the_same_question_is_read_once() -> None:
    behind = CountingParser()
    parser = RememberingParser(behind)

    answers = [parser.parse("营收", reference_date=TODAY) for _ in range(3)]

    assert [answer.metrics for answer in answers] == [("M1",)] * 3
    assert len(behind.read) == 1


def test_another_wording_day_or_entity_is_read_anew() -> None:
    behind = CountingParser()
    parser = RememberingParser(behind)
    asked = [
        ("营收", TODAY, None),
        ("营收 ", TODAY, None),
        ("營收", TODAY, None),
        ("营收", date(2025, 7, 1), None),
        ("营收", TODAY, "ACME_HK"),
    ]

    answers = [parser.parse(q, reference_date=day, default_entity=entity) for q, day, entity in asked]

    assert behind.read == asked
    assert len({answer.metrics for answer in answers}) == len(asked)


def test_no_more_is_remembered_than_was_said() -> None:
    behind = CountingParser()
    parser = RememberingParser(behind, remembered=2)

    for question in ("a", "b", "c", "a"):
        parser.parse(question, reference_date=TODAY)

    assert [question for question, _, _ in behind.read] == ["a", "b", "c", "a"]
