"""A period that the words around it speak against stays unconsumed, so that those words are asked back."""

import pytest

from tests.unit.domain.periods.helpers import consumed_in, periods_in

CONTRADICTED = {
    "up to its end": [
        "截至2024年第三季度营收",
        "截止到2024年9月末的营收",
        "revenue as of Q3 2024",
        "revenue to September 2024",
        "revenue by Q3 2024",
        "ricavi al terzo trimestre 2024",
        "revenue in the years to 2024",
    ],
    "a year by its last month": [
        "2024年6月止年度营收",
        "revenue for the year to June 2024",
        "revenue year ended 2024-06",
        "FY ended 06/2024",
    ],
    "annual and a part": [
        "2024年Q3全年营收",
        "2024年第三季度年度营收",
        "full year revenue Q3 2024",
        "annual revenue for Q3 2024",
        "ricavo annuale H1 2024",
    ],
    "a part inside a part": [
        "2024年上半年第三季度营收",
        "Q3 of H1 2024",
        "first half of Q3 2024",
    ],
    "a year and itself": ["2024 vs last year"],
    "mid-year": ["2024年中的营收", "2024年年中"],
    "open": ["revenue 2020+", "revenue > 2022", "revenue from 2022 on", "2022及以后营收"],
    "prices of a year": ["按2020年美元", "in 2020 US dollars"],
}
BESIDE_ANOTHER = [
    ("last quarter of 2024", "2024", ["2024"]),
    ("last quarter 2024", "2024", ["2024"]),
    ("this quarter last year", "2024", ["last year"]),
    ("上季度和2023年营收", "2023", ["2023年"]),
    ("2024Q3和去年营收", "2024Q3", ["2024q3"]),
    ("Q3 2024 vs prior year", "2024Q3", ["q3 2024"]),
    ("i trimestri 2024", "2024", ["2024"]),
    ("Q3 2024 and Q3 last year", "2024Q3", ["q3 2024"]),
    ("FY2024 revenue compared with last year", "2024", ["fy2024"]),
    ("Q3 revenue vs last year", "2024", ["last year"]),
    ("FY2024 ended June", "2024", ["fy2024"]),
    ("2024年年报披露的2023年营收", "2023", ["2023年"]),
    ("2024年报中的2023年营收", "2023", ["2023年"]),
    ("2025年3月公布的2024年营收", "2024", ["2024年"]),
    ("2023 revenue as shown in the 2024 accounts", "2023", ["2023"]),
    ("revenue in 2023 according to the 2024 annual report", "2023", ["2023"]),
    ("revenue for 2024 published in 2025", "2024", ["2024"]),
    ("ricavi 2023 secondo il bilancio 2024", "2023", ["2023"]),
    ("截至2025年3月的2024年营收", "2024", ["2024年"]),
    ("revenue in 2024? And in H1?", "2024", ["2024"]),
    ("2024年营收;上半年营收", "2024", ["2024年"]),
    ("2024年营收还有上半年的", "2024", ["2024年"]),
    ("FY2024 revenue as well as H1", "2024", ["fy2024"]),
    ("FY2024 revenue and the first half", "2024", ["fy2024"]),
]
SPOKEN_FOR = [
    ("截至2024年末", "2024"),
    ("as of December 31, 2024", "2024"),
    ("nine months ended September 30, 2024", "2024Q3YTD"),
    ("截至2024年9月30日止九个月", "2024Q3YTD"),
    ("Q3 2023 revenue compared to Q3 2024", "2023Q3 2024Q3"),
    ("rispetto al terzo trimestre 2024", "2024Q3"),
    ("查到2024年第三季度营收", "2024Q3"),
    ("from Q1 to Q3 2024", "2024Q1 2024Q2 2024Q3"),
    ("2024财政年度第三季度", "2024Q3"),
    ("2024年上半年年度报告", "2024H1"),
    ("last year (FY2024)", "2024 2024"),
    ("2024年度上半年营收", "2024H1"),
    ("Q3 revenue last year", "2024Q3"),
    ("last quarter", "2025Q1"),
    ("this quarter vs Q2 2024", "2025Q2 2024Q2"),
    ("2024年年报营收和2023年年报营收", "2024 2023"),
    ("2024年年报中2024年营收", "2024 2024"),
    ("在2019年中,研发人员", "2019"),
    ("2023+2024", "2023 2024"),
    ("first half 2024", "2024H1"),
    ("I trimestre 2024", "2024Q1"),
]
WAYS = [
    ("YTD Q3 2024", "2024Q3YTD"),
    ("year to date Q3 2024", "2024Q3YTD"),
    ("Q3 2024 YTD", "2024Q3YTD"),
    ("2022..2024", "2022 2023 2024"),
    ("2022…2024", "2022 2023 2024"),
    ("香港2024三季度营收", "2024Q3"),
    ("2024一季度", "2024Q1"),
    ("2024第一季度", "2024Q1"),
    ("FY-2024", "2024"),
    ("revenue '24", "2024"),
    ("Sep-24", "2024M09"),
    ("2024.09", "2024M09"),
    ("nel mese di ottobre 2024", "2024M10"),
    ("nel mese di marzo 2024", "2024M03"),
    ("revenue in May?", "2025M05"),
]


@pytest.mark.parametrize("question", [q for questions in CONTRADICTED.values() for q in questions])
def test_leaves_unread_what_the_words_beside_it_contradict(question: str) -> None:
    assert (periods_in(question), consumed_in(question)) == ("", [])


@pytest.mark.parametrize(("question", "values", "consumed"), BESIDE_ANOTHER)
def test_of_two_periods_leaves_the_doubtful_one_unread(question: str, values: str, consumed: list[str]) -> None:
    assert (periods_in(question), consumed_in(question)) == (values, consumed)


@pytest.mark.parametrize(("question", "values"), SPOKEN_FOR)
def test_still_reads_what_only_looks_contradicted(question: str, values: str) -> None:
    assert periods_in(question) == values


@pytest.mark.parametrize(("question", "values"), WAYS)
def test_reads_every_way_of_writing(question: str, values: str) -> None:
    assert periods_in(question) == values
