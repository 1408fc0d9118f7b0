"""Whatever a model says, nothing goes out that the material does not hold."""

import asyncio
import re
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.codes import Locale
from services.orchestrator.conversation import Turn
from services.orchestrator.prompts import Shown
from services.orchestrator.prose_numbers import Asked
from services.orchestrator.writing import Material, Writer
from tests.support.answers import TODAY, ask, sample_profile
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
