from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.sentences import sentence_spans, sentences


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("客流回落。主因是台风！", ["客流回落。", "主因是台风！"]),
        ("Visits fell. A typhoon closed stores.", ["Visits fell.", "A typhoon closed stores."]),
        ("Visits fell 1.5% in H1. Costs rose.", ["Visits fell 1.5% in H1.", "Costs rose."]),
        ("Acme Inc. lost customers, e.g. in Rome. It left.", ["Acme Inc. lost customers, e.g. in Rome.", "It left."]),
        ("See it. [1] Then more.[2]", ["See it. [1]", "Then more.[2]"]),
        ("他说“停业。”然后离开。", ["他说“停业。”", "然后离开。"]),
        ("- one\n- two\n\n", ["- one", "- two"]),
        ("见 a.pdf 的说明", ["见 a.pdf 的说明"]),
        ("  ", []),
    ],
)
def test_a_text_is_cut_where_a_sentence_ends(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


@given(st.text(alphabet=st.sampled_from("ab1 .。！?\n[]”…é"), max_size=60))
def test_no_letter_is_lost_and_none_is_in_two_sentences(text: str) -> None:
    spans = sentence_spans(text)

    kept = "".join(text[start:end] for start, end in spans)
    assert [char for char in kept if char.isalnum()] == [char for char in text if char.isalnum()]
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
