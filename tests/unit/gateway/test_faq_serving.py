"""The serving copy: keys that never meet, candidates in their order, nothing in it that may not be served."""

import json
from datetime import date
from itertools import product

import pytest

from contracts.codes import FaqState, Locale
from contracts.v1.faq import FaqDependency
from services.clarify.faq_veto import VetoReason
from services.gateway.faq.serving import Candidate, Served, Space, choose, copy_of, field_of
from services.gateway.faq.vetted import MissReason
from tests.support.vetted import item

SPACE = Space("d1")
TODAY = date(2025, 5, 20)


def _served(*items: object, reason: str | None = None) -> list[Served]:
    copy = copy_of(items, {one.id: [("食堂在哪", reason)] for one in items}, SPACE)  # type: ignore[attr-defined, arg-type]
    return [Served.model_validate_json(value) for value in copy.values()]


def test_spaces_and_wordings_never_share_a_place() -> None:
    odd = ["a", "a:b", "a:", ":a", "a%3Ab", "", "A", "中", "a\n"]

    keys = {Space(digest, scope).key for digest, scope in product(odd, odd)}
    fields = {field_of(form, locale) for form, locale in product(odd, [None, *Locale])}

    assert len(keys) == len(odd) ** 2
    assert len(fields) == len(odd) * 4


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_million_pairs_of_places_have_no_collision() -> None:
    digests, scopes = [f"{i:016x}" for i in range(10)], ["everybody", "app:1", "app", "1"]
    spaces = [Space(digest, scope) for digest, scope in product(digests, scopes)]
    forms = [f"第{i}类物品如何领取" if i % 2 else f"how do i get item {i}" for i in range(6_250)]

    places = {hash((space.key, field)) for space in spaces for field in _fields(forms)}

    assert len(spaces) * len(forms) * 4 == 1_000_000
    assert len({(space.key, field) for space in spaces[:4] for field in _fields(forms)}) == 100_000
    assert len(places) == 1_000_000


def _fields(forms: list[str]) -> list[str]:
    return [field_of(form, locale) for form in forms for locale in (None, *Locale)]


def test_the_first_approved_that_may_be_served_is_chosen() -> None:
    first = item(id="first", approved_change=3, valid_until=date(2025, 5, 1), answer="旧")
    second = item(id="second", approved_change=5, answer="新")

    served = _served(second, first)

    assert isinstance(found := choose(served, date(2025, 5, 1), trusts_facts=True), Candidate)
    assert found.id == "first"
    assert isinstance(found := choose(served, TODAY, trusts_facts=True), Candidate)
    assert found.id == "second"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"state": FaqState.STALE}, VetoReason.STALE),
        ({"sensitivity": None}, VetoReason.CLOSED_SENSITIVITY),
        ({"valid_from": date(2025, 6, 1)}, VetoReason.NOT_YET_VALID),
        ({"valid_until": date(2025, 5, 19)}, VetoReason.EXPIRED),
        ({"depends_on": [FaqDependency(metric="ROE")]}, MissReason.UNCHECKED),
    ],
)
def test_the_reason_of_the_first_candidate_is_told(change: dict[str, object], why: object) -> None:
    assert choose(_served(item(**change)), TODAY, trusts_facts=False) == why  # type: ignore[arg-type]


def test_nothing_is_chosen_from_nothing() -> None:
    assert choose([], TODAY, trusts_facts=True) is MissReason.NO_ITEM


def test_a_vetoed_wording_hides_no_other_item_and_keeps_its_answer_to_itself() -> None:
    vetoed, closed = item(answer="机密数字"), item(id="closed", sensitivity="RESTRICTED", answer="更机密")

    copy = copy_of([vetoed, closed], {"canteen": [("f", "competitor")], "closed": [("f", None)]}, SPACE)

    assert "机密" not in json.dumps(copy, ensure_ascii=False)
    assert choose([Served.model_validate_json(v) for v in copy.values()], TODAY, trusts_facts=True) == "competitor"


def test_what_was_not_screened_or_is_empty_is_not_in_the_copy() -> None:
    assert copy_of([item(), item(id="b")], {"b": [("", "empty")]}, SPACE) == {}


@pytest.mark.parametrize("wrong", ["form", "digest", "scope", "locale", "rules"])
def test_a_value_under_a_wrong_key_is_noticed(wrong: str) -> None:
    served = _served(item(locale=Locale.ZH))[0]
    asked = ("食堂在哪", Space("d1"), Locale.ZH)

    assert served.is_for(*asked)
    match wrong:
        case "form":
            assert not served.is_for("食堂在那", *asked[1:])
        case "digest":
            assert not served.is_for("食堂在哪", Space("d2"), Locale.ZH)
        case "scope":
            assert not served.is_for("食堂在哪", Space("d1", "app"), Locale.ZH)
        case "locale":
            assert not served.is_for("食堂在哪", Space("d1"), Locale.EN)
        case _:
            assert not served.model_copy(update={"rules": 0}).is_for(*asked)
