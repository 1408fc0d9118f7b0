"""Known names that an unknown word may be meant as: offered, the most likely first, at a bounded cost."""

import time

import pytest

from contracts.codes import ResidueKind
from contracts.v1.intent import Residue
from domain.profile import CompanyProfile
from services.clarify.nearest import MAX_NEAREST, nearest_entities

PROFILE = CompanyProfile.model_validate(
    {
        "company": {"name": "Clearleaf", "default_entity": "LEAF"},
        "entities": {
            "LEAF": {"synonyms": ["清叶茶业", "Clearleaf Tea"]},
            "BREW": {"synonyms": ["新酿酒业", "Brewhouse"]},
            "PORT": {"synonyms": ["青岛港"]},
        },
        "metrics": {"REVENUE": {"unit": "CNY_M"}},
    }
)


def near(word: str, profile: CompanyProfile = PROFILE) -> tuple[str, ...]:
    return nearest_entities([Residue(text=word, kind=ResidueKind.UNKNOWN, start=0, end=len(word))], profile)


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("清叶茶叶", "LEAF"),
        ("清葉茶葉", "LEAF"),
        ("青叶茶业", "LEAF"),
        ("茶业", "LEAF"),
        ("qingyechaye", "LEAF"),
        ("qing ye", "LEAF"),
        ("Cleerleaf tea", "LEAF"),
        ("Clearlaef Tea", "LEAF"),
        ("brewhuose", "BREW"),
        ("心酿酒业", "BREW"),
        ("青岛岗", "PORT"),
        ("ＣＬＥＡＲＬＥＡＦ", "LEAF"),
    ],
)
def test_the_name_that_was_meant_is_found(word: str, code: str) -> None:
    assert near(word)[0] == code


@pytest.mark.parametrize("word", ["Tencent", "阿里巴巴", "x", "茶", "2024", "港", "clear" * 20])
def test_a_word_that_is_like_no_name_finds_none(word: str) -> None:
    assert near(word) == ()


def test_thousands_of_names_and_long_words_cost_little() -> None:
    codes = {f"C{n}": {"synonyms": [f"company number {n} of many", f"公司{n}号"]} for n in range(5_000)}
    many = PROFILE.model_copy(
        update={
            "entities": PROFILE.entities
            | CompanyProfile.model_validate(
                {
                    **PROFILE.model_dump(exclude_none=True),
                    "entities": codes,
                    "company": {"name": "x", "default_entity": "C1"},
                }
            ).entities
        }
    )
    near("warm up", many)

    started = time.process_time()
    found = near("compani number 4711 of many", many)
    long = near("w" * 2_000, many)
    seconds = time.process_time() - started

    assert "C4711" in found
    assert len(found) <= MAX_NEAREST
    assert long == ()
    assert seconds < 0.5
