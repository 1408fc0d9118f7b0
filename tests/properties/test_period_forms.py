"""For all texts: leaving out forms that cannot match, and places where they cannot begin, changes no reading."""

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.fold import fold
from domain.periods import ALL_FORMS
from domain.periods.forms import DIGIT, Form, Forms, Places, matches
from tests.unit.intent.questions import EASY, TRAPS

FORMS = Forms(ALL_FORMS)
NEEDED = sorted({word for form in ALL_FORMS for need in form.needs if need is not DIGIT for word in need})
AROUND = (
    *("2024", "1999", "24", "31", "12", "3", "1st", "٣", "２", "二〇二四", "十", "第一", "三", "一"),
    *("上", "本", "前", "末", "个", "报", "初", "日", "和", "至", "、", "两"),
    *("the ", "of ", "ended ", "two ", "first ", "third ", " and ", " to ", "fiscal ", "june", "nell'", "il ", "scors"),
    *("-", "/", ".", ",", "'", "’", "_", "a", "é", "à", " ", "$"),
)
PIECES = st.one_of(st.sampled_from(NEEDED), st.sampled_from(AROUND), st.text(max_size=3))
WRITTEN = st.sampled_from([fold(question).text for question in (*EASY, *TRAPS)])
TEXTS = st.one_of(
    st.lists(PIECES, max_size=8).map("".join),
    st.lists(PIECES, max_size=8).map(" ".join),
    st.tuples(WRITTEN, st.lists(PIECES, max_size=3).map("".join)).map("".join),
).map(lambda text: fold(text).text)


def spans(form: Form, text: str) -> list[tuple[int, int]]:
    return [found.span() for found in form.pattern.finditer(text)]


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_a_form_that_is_left_out_would_find_nothing(text: str) -> None:
    tried = FORMS.worth_trying(text)

    assert [form for form in ALL_FORMS if form not in tried and spans(form, text)] == []


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_a_form_finds_the_same_at_its_places_as_everywhere(text: str) -> None:
    places = Places(text)

    for form in ALL_FORMS:
        assert [found.span() for found in matches(form, text, places)] == spans(form, text)


def test_a_plain_text_is_worth_few_forms() -> None:
    text = fold("What was the operating profit of the group, and why?").text

    assert len(FORMS.worth_trying(text)) < len(ALL_FORMS) / 10
