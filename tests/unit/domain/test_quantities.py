from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.fold import fold
from domain.quantities import Kind, Quantity, find_quantities


def read(text: str, *, italian: bool = False, strict: bool = False) -> list[Quantity]:
    return find_quantities(text, fold(text), italian=italian, strict=strict)


def only(text: str, *, italian: bool = False, strict: bool = False) -> Quantity:
    (quantity,) = read(text, italian=italian, strict=strict)
    return quantity


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        ("回落12%", "12", Kind.PERCENT),
        ("回落１２％", "12", Kind.PERCENT),
        ("回落百分之十二点五", "12.5", Kind.PERCENT),
        ("回落三成半", "35", Kind.PERCENT),
        ("下降12个百分点", "12", Kind.POINTS),
        ("down 12 percentage points", "12", Kind.POINTS),
        ("giù di 12 punti percentuali", "12", Kind.POINTS),
        ("25 bps", "25", Kind.BASIS_POINTS),
        ("损失2.6亿元", "260000000", Kind.MONEY),
        ("损失二点六亿元", "260000000", Kind.MONEY),
        ("2千万美元", "20000000", Kind.MONEY),
        ("1320 USD_M", "1320000000", Kind.MONEY),
        ("US$1,234.5 million", "1234500000", Kind.MONEY),
        ("$5m", "5000000", Kind.MONEY),
        ("1.234,5 milioni di euro", "1234500000", Kind.MONEY),
        ("3 bn EUR", "3000000000", Kind.MONEY),
        ("人民币3亿", "300000000", Kind.MONEY),
        ("七百七十七", "777", Kind.BARE),
        ("壹佰贰拾叁", "123", Kind.BARE),
        ("八八八", "888", Kind.BARE),
        ("十二家门店", "12", Kind.BARE),
        ("三名员工", "3", Kind.PERSONS),
        ("停业12天", "12", Kind.DAYS),
        ("for twenty-five days", "25", Kind.DAYS),
        ("seven hundred and five stores", "705", Kind.BARE),
        ("two point six million", "2600000", Kind.BARE),
        ("settecentosettantasette", "777", Kind.BARE),
        ("duemila dipendenti", "2000", Kind.PERSONS),
        ("翻倍", "2", Kind.TIMES),
        ("增长3倍", "3", Kind.TIMES),
        ("翻了两番", "4", Kind.TIMES),
        ("sales doubled", "2", Kind.TIMES),
        ("sono triplicati", "3", Kind.TIMES),
        ("churn halved", "0.5", Kind.PORTION),
        ("减半", "0.5", Kind.PORTION),
        ("dimezzati", "0.5", Kind.PORTION),
        ("四分之一", "0.25", Kind.PORTION),
        ("un quarto", "0.25", Kind.PORTION),
        ("排名第三", "3", Kind.ORDINAL),
        ("٩٩", "99", Kind.BARE),
        ("𝟗𝟗", "99", Kind.BARE),
        ("9\u200b9", "99", Kind.BARE),
        ("1e6", "1000000", Kind.BARE),
    ],
)
def test_a_number_is_read_with_its_unit(text: str, value: str, kind: Kind) -> None:
    quantity = only(text, italian=True)

    assert Decimal(value) in quantity.values
    assert quantity.kind is kind


@pytest.mark.parametrize(
    "text",
    [
        "数十家",
        "上百",
        "dozens",
        "migliaia",
        "两位数",
        "double-digit",
        "Ⅳ",
        "one eighth",
        "due quinti",
        "➒",
        "9 9 9",
        "1.2.3",
    ],
)
def test_what_cannot_be_calculated_with_is_compared_as_it_is_written(text: str) -> None:
    assert only(text).states(only(text))
    assert not any(only(text).states(other) for other in read("10 100 999 4 123"))


@pytest.mark.parametrize(
    "text",
    [
        "十分重要，一些门店一直一起努力，第一时间统一安排",
        "主要有两个原因，两方面因素",
        "四川百货与百度、万科",
        "one reason, the only one",
        "due to weather",
        "for two main reasons",
        "abbiamo una ragione",
        "第一，台风。第二，停业。",
        "第三方零售",
    ],
)
def test_words_that_count_nothing_are_no_numbers(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("claim", "known"),
    [
        ("1.2亿元", "1.2亿元"),
        ("一点二亿元", "120 million yuan"),
        ("两亿六千万元", "2.6亿元"),
        ("一万二千三百亿", "1.23万亿"),
        ("一成二", "12%"),
        ("13.2亿美元", "1320 USD_M"),
        ("1.32 billion USD", "1320 USD_M"),
        ("12", "12家"),
        ("2.6亿", "2.6亿元"),
        ("1,234", "1234"),
        ("减半", "halved"),
    ],
)
def test_the_same_number_in_other_words_is_the_same(claim: str, known: str) -> None:
    assert only(claim).states(only(known))


@pytest.mark.parametrize(
    ("claim", "known"),
    [
        ("12%", "12个百分点"),
        ("12亿元", "12%"),
        ("12", "12%"),
        ("12天", "12家"),
        ("2.6亿元", "2.6亿美元"),
        ("2.6", "2.6亿元"),
        ("2.6亿美元", "2.6亿"),
        ("731.25", "731.25 USD_M"),
        ("-5%", "+5%"),
        ("13亿元", "12.9亿元"),
        ("翻倍", "翻两番"),
    ],
)
def test_another_unit_scale_or_sign_is_another_number(claim: str, known: str) -> None:
    assert not only(claim).states(only(known))


def test_a_point_is_no_thousands_separator_where_that_is_said() -> None:
    assert only("1.234", strict=True).values == {Decimal("1.234")}
    assert only("1.234").values == {Decimal("1.234"), Decimal(1234)}


@given(
    st.text(max_size=80)
    | st.text(alphabet=st.sampled_from("0123456789.,一二十百千万亿点成半分之百%usd m年 "), max_size=40)
)
def test_any_text_can_be_read_and_no_digit_is_overlooked(text: str) -> None:
    folded = fold(text)

    quantities = find_quantities(text, folded, italian=False)

    seen = {place for quantity in quantities for place in range(quantity.start, quantity.end)}
    assert all(place in seen for place, char in enumerate(folded.text) if char.isdecimal())
