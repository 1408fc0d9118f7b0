"""Whatever a model says, nothing goes out that the material does not hold."""

import asyncio
import re
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.codes import Locale
from contracts.v1.facts import Source
from services.orchestrator.citations import Written
from services.orchestrator.claims import Aspect
from services.orchestrator.conversation import Turn
from services.orchestrator.parts import NarrativePart, Part
from services.orchestrator.prompts import Shown
from services.orchestrator.prose_numbers import Asked
from services.orchestrator.rendering import Rendered
from services.orchestrator.siblings import heed_each_other
from services.orchestrator.writing import Material, Writer
from tests.support.answers import TODAY, ask, sample_profile, scope
from tests.support.inprocess import Scripted, passage

WRITER = Writer(sample_profile())
WHY = ask("香港门店客流为什么回落")
WITHOUT_NUMBERS = "香港门店客流回落，主因是台风季停业。"
MARK = re.compile(r"\[1\]|(?m:^[ \t]*(?:[-*•][ \t]*)?\d{1,2}[.)、．])")

WORDS = "台风|停业|香港|集团|客流|回落|rose|fell|。|，|. |\n|- | |[1]|[2]|(|)|第|**|<b>|\u200b|x.pdf|《某报告》|来源："
NUMBERS = "0|7|12|3.5|９|٣|²|1,234|%|亿|万元| million|USD|年|天|&#57;|Q3|2024|FY|-|/|e6|1. |2. "
pieces = st.sampled_from([*WORDS.split("|"), *NUMBERS.split("|")])
prose = st.lists(pieces, max_size=14).map("".join) | st.text(max_size=40)


def written(said: str, *texts: str) -> str:
    passages = [passage(text, f"source{'abc'[place]}.md", "p") for place, text in enumerate(texts)]
    material = Material(WHY, passages, Asked(today=TODAY), Shown(), Locale.ZH)
    part = asyncio.run(WRITER.write(material, Scripted([Turn(text=said)])))
    return part.written.plain if part else ""


@settings(max_examples=300, deadline=None, derandomize=True)
@given(prose)
def test_no_digit_of_any_script_goes_out_when_the_material_has_none(said: str) -> None:
    shown = MARK.sub("", written(said, WITHOUT_NUMBERS))

    assert not any(char.isdigit() for char in shown), shown


@settings(max_examples=300, deadline=None, derandomize=True)
@given(prose)
def test_no_file_and_no_mark_goes_out_that_was_not_given(said: str) -> None:
    shown = written(said, WITHOUT_NUMBERS)

    assert "x.pdf" not in shown
    assert "《某报告》" not in shown
    assert "[2]" not in shown


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.decimals(min_value=Decimal("0.1"), max_value=Decimal(10**6), places=1), st.sampled_from(["%", "亿元", "天"]))
def test_a_number_of_the_material_may_be_repeated(number: Decimal, unit: str) -> None:
    sentence = f"香港客流变动{number}{unit}。"

    assert written(sentence, sentence) == sentence


REFUSED_ELSEWHERE = scope("2024")
FORMS = ("香港2024年营收为{}百万美元。", "香港营收{}亿元。", "Hong Kong revenue was {} USD_M in 2024. ", "香港：{}。")


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(FORMS), st.integers(11, 99_999)), min_size=1, max_size=4), st.booleans())
def test_no_prose_tells_a_number_for_what_a_sibling_refused(told: list[tuple[str, int]], is_last: bool) -> None:
    text = "".join(form.format(value) for form, value in told)
    asked = Asked({Aspect.ENTITY: frozenset({"ACME_GROUP"})}, today=TODAY, entity="ACME_GROUP")
    written = Written(f"{text}台风季停业。\n（资料来源：a.md p7）", f"{text}台风季停业。")
    why = NarrativePart(written, (Source(doc="a.md", locator="p7"),), asked)
    refusal = Part(Rendered("", ""), refused=(REFUSED_ELSEWHERE,))
    answers = [[refusal], [why]] if is_last else [[why], [refusal]]

    heeded = heed_each_other(answers, WRITER, Locale.ZH)

    part = heeded[1 if is_last else 0][0]
    assert not any(char.isdigit() for char in part.rendered.plain), part.rendered.plain
    assert "a.md p7" in part.rendered.text
