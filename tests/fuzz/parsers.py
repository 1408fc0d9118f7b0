"""What reads texts and files of strangers: questions, periods, numbers, prose, tool arguments, documents, tables."""

import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

from contracts.codes import Locale
from contracts.v1.facts import FactOutcomes
from contracts.v1.narrative import Passage
from domain.fold import fold
from domain.language import choose_locale
from domain.periods import find_periods, parse_period
from domain.profile import load_profile
from domain.profile.loading import ProfileError
from domain.quantities import find_quantities
from domain.screening import screen
from domain.sentences import sentences
from runtime.deadline import Deadline
from runtime.errors import InvalidRequestError
from runtime.text_files import FileError
from services.facts.files import open_facts
from services.facts.rows import RowChecker
from services.facts.vocabulary import Vocabulary
from services.gateway.faq.normalize import normal_form
from services.intent.parser import RuleIntentParser
from services.narrative.analysis import Normal, body_tokens, language_of, title_tokens
from services.narrative.chunking import cut_markdown, cut_text
from services.narrative.files import Said, Source, open_passages, read_passages
from services.narrative.rows import RowMaker
from services.orchestrator.citations import with_known_marks
from services.orchestrator.decomposing import read_questions
from services.orchestrator.guard import guard
from services.orchestrator.prose_numbers import Asked, NumberCheck
from services.orchestrator.query_metric import QueryMetric
from services.orchestrator.rendering import render
from tests.fuzz import hostile
from tests.fuzz.contracts import examples
from tests.fuzz.mutating import broken, shattered
from tests.fuzz.payloads import BrokenClaimError, Payload, assert_no_mark
from tests.support.profiles import REFERENCE_DATE, SAMPLE_PATH, acme

_MAX_CHARS: Final = 2_000
"""Of a question; prose and documents are longer."""
_PIECES: Final = (
    "中国内地", "香港", "集团", "FY2024", "2024年上半年", "近三年", "去年同期", "REVENUE", "营收", "ROE", "同比增长率",
    "预算", "为什么下降", "是多少", "vs", "of", "in the latest quarter", "竞安", "jingan", "2021–2023", "Q3", "累计",
    "折合人民币", "不含", "3.5%", "1,320.5 million", "一千三百二十亿", "翻倍", "tre miliardi", "two hundred", "±",
    "-", "（", "）", "、", " ",
)  # fmt: skip
_FACTS_CSV: Final = SAMPLE_PATH.parent / "facts.csv"
_MARKDOWN: Final = (
    b"---\ntitle: a\nperiod: 2024\n---\n# Head\n\ntext of one. And two.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
)


@cache
def _parser() -> RuleIntentParser:
    return RuleIntentParser(acme())


@cache
def _check() -> NumberCheck:
    return NumberCheck(acme())


@cache
def _tool() -> QueryMetric:
    return QueryMetric(acme())


@cache
def _rows() -> tuple[RowChecker, RowMaker]:
    return RowChecker(Vocabulary.of(acme())), RowMaker.of(acme())


def _intent(text: str) -> str:
    parsed = _parser().parse(text, reference_date=REFERENCE_DATE)
    for residue in parsed.residues:
        if text[residue.start : residue.end] != residue.text:
            raise BrokenClaimError("a residue does not quote the question")
    return parsed.route.value


def _periods(text: str) -> str:
    calendar = acme().calendar(None)
    found = find_periods(fold(text), today=REFERENCE_DATE, calendar=calendar)
    whole = parse_period(text, REFERENCE_DATE, calendar)
    return "one" if whole else "some" if found else "none"


def _quantities(text: str) -> str:
    both = [find_quantities(text, fold(text), italian=italian) for italian in (False, True)]
    if any(not quantity.text for found in both for quantity in found):
        raise BrokenClaimError("a number that is written nowhere")
    return "some" if any(both) else "none"


def _gate(text: str) -> str:
    seen = screen(text, acme())
    if any(not 0 <= start < end <= len(text) for start, end in (*seen.spans, *seen.suspicious_spans)):
        raise BrokenClaimError("a span outside of the question")
    return "named" if seen.names else "suspicious" if seen.suspicious else "clean"


def _prose(text: str) -> str:
    passage = Passage(doc_id="d", locator="l", text="营收为1320百万美元。", score=1.0)
    found = _check().check(text, [passage], "ACME_CN FY2024 REVENUE：1320 USD_M", Asked())
    if any(not 0 <= finding.start <= finding.end <= len(text) for finding in found):
        raise BrokenClaimError("a finding outside of the prose")
    return "unsupported" if any(finding.unsupported for finding in found) else "clean"


def _normal_form(text: str) -> str:
    once = normal_form(text)
    if normal_form(once) != once:
        raise BrokenClaimError("the normal form has another normal form")
    return "same" if once == text else "changed"


def _words(text: str) -> str:
    choose_locale(text, None, "auto")
    sentences(text)
    with_known_marks(text, 3)
    read = Normal.read(text)
    language = language_of(read)
    body_tokens(read, language)
    title_tokens(read, language)
    return language.value


def _tool_arguments(text: str) -> str:
    return type(_tool().read(text, today=REFERENCE_DATE)).__name__


def _questions(text: str) -> str:
    return "some" if read_questions(text) else "none"


def _deadline(text: str) -> str:
    try:
        Deadline.from_header(text).left()
    except InvalidRequestError as error:
        assert_no_mark(str(error.problems), "the refusal")
        return "refused"
    return "read"


def _chunks(text: str) -> str:
    lines = text.split("\n")
    pieces = [*cut_markdown(lines), *cut_text(lines)]
    return "some" if pieces else "none"


def _answer(text: str) -> str:
    """Whatever fact worker replies, in every language."""
    try:
        outcomes = FactOutcomes.model_validate_json(text).outcomes
    except ValueError:
        return "refused"
    verdict = guard([outcome.query for outcome in outcomes], outcomes)
    for locale in Locale:
        render(verdict, locale)
    return "rendered" if verdict.found else "refusal"


_TEXTS: Final[Mapping[str, Callable[[str], str]]] = {
    "intent": _intent,
    "periods": _periods,
    "quantities": _quantities,
    "gate": _gate,
    "prose": _prose,
    "normal form": _normal_form,
    "words": _words,
    "tool arguments": _tool_arguments,
    "sub-questions": _questions,
    "deadline": _deadline,
    "chunks": _chunks,
    "answer": _answer,
}
_FILES: Final = ("facts.csv", "facts.jsonl", "notes.md", "notes.txt", "passages.jsonl", "profile.toml")


def readers() -> Mapping[str, Callable[[str], str]]:
    """What reads a text, by name; each returns its outcome in a word."""
    return _TEXTS


class Parsers:
    """All readers, each by its name; files are written below a folder of one's own."""

    name = "parsers"
    seconds = 1.0

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or Path(tempfile.mkdtemp(prefix="ragspine-fuzz-"))

    def make(self, random: Random) -> Payload:
        """A text for one of the readers, or a damaged file; files are rarer, since they are slower."""
        if random.random() < 0.06:
            part = random.choice(_FILES)
            return Payload(self.name, part, shattered(_file(part, random), random))
        part = random.choice(list(_TEXTS))
        return Payload(self.name, part, _text(part, random).encode("utf-8", "surrogatepass"))

    async def attempt(self, payload: Payload) -> str:
        """Read it."""
        if payload.part in _TEXTS:
            text = payload.body.decode("utf-8", "surrogatepass")
            return f"{payload.part} {_TEXTS[payload.part](text)}"
        path = self._folder / payload.part
        path.write_bytes(payload.body)
        try:
            return f"{payload.part} {self._read(path)}"
        except (FileError, ProfileError) as error:
            assert_no_mark(str(error), "the refusal")
            return f"{payload.part} refused"

    def _read(self, path: Path) -> str:
        checker, maker = _rows()
        if path.suffix == ".toml":
            load_profile(path)
            return "read"
        if path.name.startswith("facts"):
            with open_facts(path, checker) as file:
                rows = list(file.rows)
        else:
            source = Source(path, path.name)
            with open_passages(source) as opened:
                rows = list(read_passages(source, opened, maker, Said()))
        return "read" if rows else "empty"


def _text(part: str, random: Random) -> str:
    if part == "answer":
        return broken(random.choice(examples()["FactOutcomes"]), random).decode("utf-8", "replace")
    if part == "tool arguments":
        right = {"metric": "REVENUE", "entity": "ACME_CN", "period": "FY2024"}
        return broken(right, random).decode("utf-8", "replace")
    if part == "sub-questions":
        return broken({"questions": ["营收FY2024", "ROE 2023"]}, random).decode("utf-8", "replace")
    pieces = [
        random.choice(_PIECES) if random.random() < 0.6 else hostile.text(random) for _ in range(random.randrange(9))
    ]
    text = random.choice(("", " ", "，", "\u200b", "\n")).join(pieces)
    if part == "intent" or part == "normal form":  # what comes from outside is clean of these
        text = text.encode("utf-8", "replace").decode()
    return text[:_MAX_CHARS]


@cache
def _whole(part: str) -> bytes:
    match part:
        case "facts.csv":
            return b"".join(_FACTS_CSV.read_bytes().splitlines(keepends=True)[:12])
        case "profile.toml":
            return SAMPLE_PATH.read_bytes()
        case _:
            return _MARKDOWN


def _file(part: str, random: Random) -> bytes:
    match part:
        case "facts.jsonl":
            return b"\n".join(broken(random.choice(examples()["LoadFacts"])["facts"][0], random) for _ in range(3))
        case "passages.jsonl":
            return b"\n".join(
                broken(random.choice(examples()["LoadPassages"])["passages"][0], random) for _ in range(3)
            )
        case _:
            return _whole(part) + random.choice((b"", hostile.text(random).encode("utf-8", "surrogatepass")))
