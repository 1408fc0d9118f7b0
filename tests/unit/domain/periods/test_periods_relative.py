"""Words that count from today or from a named period; today is 20 May 2025."""

import pytest

from tests.unit.domain.periods.helpers import periods_in

RELATIVE = [
    ("近三年", "2022 2023 2024"),
    ("近3年营收", "2022 2023 2024"),
    ("最近三年", "2022 2023 2024"),
    ("last three years", "2022 2023 2024"),
    ("past 3 fiscal years", "2022 2023 2024"),
    ("ultimi tre anni", "2022 2023 2024"),
    ("近三年来", "2022 2023 2024"),
    ("近四个季度", "2024Q2 2024Q3 2024Q4 2025Q1"),
    ("last four quarters", "2024Q2 2024Q3 2024Q4 2025Q1"),
    ("今年", "2025"),
    ("本年", "2025"),
    ("本年度", "2025"),
    ("去年", "2024"),
    ("上年", "2024"),
    ("上一年", "2024"),
    ("前年", "2023"),
    ("last year", "2024"),
    ("this year", "2025"),
    ("prior year", "2024"),
    ("l'anno scorso", "2024"),
    ("l’anno scorso", "2024"),
    ("dell'anno scorso", "2024"),
    ("quest'anno", "2025"),
    ("本季度", "2025Q2"),
    ("上季度", "2025Q1"),
    ("集团上季度营运利润", "2025Q1"),
    ("last quarter hk revenue", "2025Q1"),
    ("this quarter", "2025Q2"),
    ("上一季度", "2025Q1"),
    ("去年上半年", "2024H1"),
    ("去年第三季度", "2024Q3"),
    ("去年10月", "2024M10"),
    ("last year's Q3", "2024Q3"),
    ("Q3 last year", "2024Q3"),
    ("first half of last year", "2024H1"),
    ("primo semestre dell'anno scorso", "2024H1"),
    ("今年上半年和去年同期", "2025H1 2024H1"),
    ("2024Q3与去年同期", "2024Q3 2023Q3"),
    ("2019年净利润比上年", "2019 2018"),
    ("2019年净利润比去年", "2019"),
    ("2023年和去年", "2023 2024"),
    ("近20年", "2005 2006 2007 2008 2009 2010 2011 2012 2013 2014 2015 2016 2017 2018 2019 2020 2021 2022 2023 2024"),
    ("last two fiscal years", "2023 2024"),
    ("3 years ago", "2022"),
    ("上个月", "2025M04"),
    ("本月", "2025M05"),
]


@pytest.mark.parametrize(("question", "expected"), RELATIVE)
def test_counts_from_today_or_from_the_named_period(question: str, expected: str) -> None:
    assert periods_in(question) == expected
