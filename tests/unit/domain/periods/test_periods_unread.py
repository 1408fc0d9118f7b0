"""What is no period, or none that can be honoured, stays unconsumed: never a guess."""

import pytest

from tests.unit.domain.periods.helpers import periods_in

UNREAD = [
    "全年营收",
    "2023 and 2024 third quarter revenue",
    "third quarter 2023 and 2024",
    "近一年",
    "三季报",
    "今年以来",
    "on March 5, 2019",
    "2021年12月24日收盘价",
    "2021-12-24",
    "2019年初",
    "Q1 2023 and 2024",
    "2023年和2024年上半年",
    "去年同期",
    "8000名员工",
    "ISO 9001",
    "合同AC20220017涉及",
    "2024.5",
    "600872",
    "2,024",
    "2100年",
    "2008-12",
    "2019年以前",
    "since 2018",
    "2018年以来",
    "自2018年",
    "2010年代",
    "FY19/20",
    "mid-2019",
    "COVID-2019",
    "$2000",
    "2000 employees",
    "30 June 2020",
    "以前年度损益",
    "成本年报",
    "year to date",
    "2024 ytd",
]


@pytest.mark.parametrize("question", UNREAD)
def test_leaves_alone_what_is_no_period_or_could_mean_two(question: str) -> None:
    assert periods_in(question) == ""
