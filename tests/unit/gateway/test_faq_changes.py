"""What becomes of an item: nothing is overwritten unseen, a changed text is vetted again, stale stays stale."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import ValidationError

from contracts.codes import FaqAction, FaqState
from contracts.v1.faq import FaqItem, FaqItems, FaqText
from runtime.errors import ConflictError, InvalidRequestError, NotFoundError
from services.gateway.faq.changes import Condition, Move, Precondition, Save
from services.gateway.faq.items import Item, content_of, problems_of
from tests.support.profiles import acme
from tests.support.vetted import item

NOW = datetime(2025, 5, 20, tzinfo=UTC)
STORED = item()


def _save(on: Precondition = Condition.ANY, stored: Item | None = STORED, **changes: Any) -> Save:
    words = STORED.content()
    content = replace((stored or STORED).content(), **{k: v for k, v in changes.items() if hasattr(words, k)})
    rest = {"version": None, "state": None, "verified_by": None, "verified_at": None, "who": "me"}
    rest |= {k: v for k, v in changes.items() if not hasattr(words, k)}
    return Save(id="canteen", content=content, on=on, **rest)


def test_a_new_item_is_a_draft_of_version_one() -> None:
    change = _save(stored=None)(None, NOW)

    assert change is not None
    assert (change.action, change.item.state, change.item.version) == (FaqAction.CREATED, FaqState.DRAFT, 1)
    assert not change.is_approval


def test_the_same_again_changes_nothing() -> None:
    assert _save()(STORED, NOW) is None
    assert _save(state=FaqState.APPROVED, version=1)(STORED, NOW) is None


def test_a_changed_text_is_a_draft_of_the_next_version() -> None:
    change = _save(answer="四楼。")(STORED, NOW)

    assert change is not None
    assert (change.item.state, change.item.version) == (FaqState.DRAFT, 2)


def test_a_changed_text_can_be_approved_at_once_and_counts_as_a_new_approval() -> None:
    change = _save(answer="四楼。", state=FaqState.APPROVED, facts_seen="f")(STORED, NOW)

    assert change is not None
    assert change.is_approval
    assert (change.item.verified_by, change.item.verified_at, change.item.facts_seen) == ("me", NOW, "f")


def test_one_version_never_says_two_things() -> None:
    with pytest.raises(InvalidRequestError) as refused:
        _save(answer="四楼。", version=1)(STORED, NOW)

    assert refused.value.problems[0].field == "version"
    assert _save(answer="四楼。", version=9)(STORED, NOW).item.version == 9  # type: ignore[union-attr]


@pytest.mark.parametrize(("wakes", "state"), [(False, None), (True, FaqState.APPROVED)])
def test_an_import_approves_no_stale_item_whose_text_is_the_same(wakes: bool, state: FaqState | None) -> None:
    stale = replace(STORED, state=FaqState.STALE)

    change = _save(state=FaqState.APPROVED, wakes_stale=wakes)(stale, NOW)

    assert (change and change.item.state) == state


def test_nobody_can_wish_for_stale() -> None:
    assert _save(state=FaqState.STALE)(STORED, NOW) is None
    change = _save(stored=None, state=FaqState.STALE)(None, NOW)
    assert change is not None
    assert change.item.state is FaqState.DRAFT


@pytest.mark.parametrize(
    ("stored", "on", "is_refused"),
    [
        *((STORED, 1, False), (STORED, 2, True), (None, 1, True), (STORED, Condition.UNSAID, True)),
        *((None, Condition.UNSAID, False), (STORED, Condition.NEW, True), (None, Condition.NEW, False)),
        *((STORED, Condition.ANY, False), (None, Condition.ANY, False)),
    ],
)
def test_a_change_needs_what_was_read(stored: Item | None, on: Precondition, is_refused: bool) -> None:
    save = _save(on, answer="新。")
    if is_refused:
        with pytest.raises(ConflictError):
            save(stored, NOW)
    else:
        assert save(stored, NOW) is not None


def test_moves() -> None:
    disabled = Move(FaqState.DISABLED, Condition.ANY, "me")(STORED, NOW)
    approved = Move(FaqState.APPROVED, 1, "me", "f")(replace(STORED, state=FaqState.STALE), NOW)

    assert disabled is not None
    assert (disabled.action, disabled.is_approval) == (FaqAction.DISABLED, False)
    assert approved is not None
    assert (approved.action, approved.item.facts_seen, approved.item.verified_by) == (FaqAction.APPROVED, "f", "me")
    assert Move(FaqState.APPROVED, Condition.ANY, "me")(STORED, NOW) is None
    with pytest.raises(NotFoundError):
        Move(FaqState.DISABLED, Condition.ANY, "me")(None, NOW)
    with pytest.raises(ConflictError):
        Move(FaqState.STALE, 2, "system")(STORED, NOW)


MINIMAL = '"id": "a", "question": "q", "answer": "a", "owner": "o"'


@pytest.mark.parametrize(
    "more",
    [
        *('"policy_number": "false"', '"policy_number": 0', '"version": "3"', '"version": 0', '"version": 1.5'),
        *(
            '"answer": ""',
            '"answer": " \\u3000"',
            '"question": "  "',
            '"aliases": "x"',
            '"aliases": [""]',
            '"owner": ""',
        ),
        *('"valid_from": "2025-01-01T00:00:00"', '"valid_until": 20250101', '"valid_until": "01.05.2025"'),
        *('"state": "enabled"', '"locale": "de"', '"enabled": true', '"depends_on": ["ROE"]', '"id": "a b"'),
        '"valid_from": "2025-02-01", "valid_until": "2025-01-31"',
    ],
)
def test_items_are_strictly_typed(more: str) -> None:
    FaqItem.model_validate_json(f"{{{MINIMAL}}}")

    with pytest.raises(ValidationError):
        FaqItem.model_validate_json(f"{{{MINIMAL}, {more}}}")


def _content_problems(**fields: object) -> list[str]:
    text = FaqText.model_validate({"question": "q", "answer": "a", "owner": "o", **fields}, strict=False)
    return [problem.field for problem in problems_of(text, acme())]


@pytest.mark.parametrize("answer", ["12 天", "１２天", "第②条"])
def test_an_approved_answer_with_digits_says_where_they_come_from(answer: str) -> None:
    assert _content_problems(answer=answer) == []
    assert _content_problems(answer=answer, state="approved") == ["answer"]
    assert _content_problems(answer=answer, state="approved", policy_number=True) == []
    assert _content_problems(answer=answer, state="approved", depends_on=[{"metric": "ROE"}]) == []
    assert _content_problems(answer="三楼。", state="approved") == []


def test_dependencies_are_codes_of_the_profile() -> None:
    unknown = [{"metric": "NOPE"}, {"metric": "ROE", "entity": "NOBODY"}]

    assert _content_problems(depends_on=unknown) == ["depends_on.0.metric", "depends_on.1.entity"]


def test_a_left_out_sensitivity_is_the_default_and_null_is_closed() -> None:
    said = FaqText.model_validate_json('{"question": "q", "answer": "a", "owner": "o", "sensitivity": null}')
    unsaid = FaqText.model_validate_json('{"question": "q", "answer": "a", "owner": "o"}')

    assert content_of(unsaid, acme()).sensitivity == "INTERNAL"
    assert content_of(said, acme()).sensitivity is None


def test_an_import_is_bounded() -> None:
    with pytest.raises(ValidationError):
        FaqItems.model_validate({"items": []})
