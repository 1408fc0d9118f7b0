import pytest

from domain.matching import phrase_key
from domain.scope.units import find_currency_signs, is_sign_of, unit_keys


@pytest.mark.parametrize(
    ("unit", "word"),
    [
        ("CNY", "元"),
        ("CNY", "万元"),
        ("CNY", "人民币"),
        ("USD_M", "百万美元"),
        ("USD_M", "million"),
        ("USD_M", "US dollars"),
        ("PERSONS", "人"),
        ("PCT", "百分之"),
        ("%", "percent"),
        ("CNY_PER_SHARE", "元/股"),
        ("EUR_M", "EUR_M"),
    ],
)
def test_a_word_for_the_unit_is_known(unit: str, word: str) -> None:
    assert phrase_key(word) in unit_keys([unit])


@pytest.mark.parametrize(
    ("unit", "word"),
    [("CNY", "美元"), ("USD_M", "元"), ("USD_M", "港元"), ("CNY", "人"), ("PCT", "million"), ("PCT", "元")],
)
def test_a_word_for_another_unit_is_not(unit: str, word: str) -> None:
    assert phrase_key(word) not in unit_keys([unit])


def test_the_units_of_several_metrics_are_all_known() -> None:
    assert {phrase_key("人"), phrase_key("元")} <= unit_keys(["CNY", "PERSONS"])


@pytest.mark.parametrize(
    ("view", "signs"),
    [
        ("营收(€)", ["€"]),
        ("in hk$", ["hk$"]),
        ("in us$ million", ["us$"]),
        ("more than $76 or $ 5", []),
        ("plus$", ["$"]),
    ],
)
def test_currency_signs_are_found_unless_they_belong_to_an_amount(view: str, signs: list[str]) -> None:
    assert [view[start:end] for start, end in find_currency_signs(view)] == signs


def test_a_bare_dollar_sign_is_that_of_any_dollar() -> None:
    assert is_sign_of("$", ["HKD_M"])
    assert is_sign_of("$", ["USD"])
    assert not is_sign_of("$", ["EUR_M"])
    assert not is_sign_of("hk$", ["USD"])
