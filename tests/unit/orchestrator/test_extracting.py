from services.orchestrator.extracting import MAX_FROM_ONE_PASSAGE, MAX_SENTENCES, extract, terms_of
from tests.support.inprocess import passage


def quoted(question: str, *texts: str) -> list[str]:
    quotes = extract(question, [passage(text, f"{place}.md") for place, text in enumerate(texts)], lambda _: True)
    return [quote.sentence for quote in quotes]


def test_the_sentence_that_speaks_of_the_question_is_quoted_word_for_word() -> None:
    text = "门店装修计划照旧。香港门店客流回落，主因是台风季停业。员工培训继续。"

    assert quoted("香港门店客流为什么回落", text) == ["香港门店客流回落，主因是台风季停业。"]


def test_question_words_alone_make_no_sentence_relevant() -> None:
    text = "What is new and how. Churn rose after the billing outage."

    assert quoted("why did churn rise", text) == ["Churn rose after the billing outage."]


def test_sentences_of_several_passages_come_in_the_order_of_the_passages() -> None:
    assert quoted("客流为什么回落", "客流回落因台风。", "客流回落因装修。") == ["客流回落因台风。", "客流回落因装修。"]


def test_a_passage_in_another_language_is_quoted_by_its_first_sentence() -> None:
    assert quoted("客流为什么回落", "A typhoon closed stores. Later they opened.") == ["A typhoon closed stores."]


def test_what_may_not_be_quoted_is_not_even_when_nothing_else_is_there() -> None:
    assert extract("客流", [passage("客流回落。")], lambda _: False) == ()


def test_no_passage_fills_the_answer_alone_and_the_answer_stays_short() -> None:
    long = "".join(f"客流回落原因{place}。" for place in range(20))

    assert len(quoted("客流回落原因", long)) == MAX_FROM_ONE_PASSAGE
    assert len(quoted("客流回落原因", *(f"客流回落原因{place}。" for place in range(20)))) == MAX_SENTENCES


def test_the_same_sentence_twice_is_quoted_once() -> None:
    assert quoted("客流为什么回落", "客流回落因台风。", "客流回落因台风。") == ["客流回落因台风。"]


def test_terms_are_words_and_pairs_of_ideographs() -> None:
    assert terms_of("香港门店 Churn") == {"香港", "港门", "门店", "churn"}
