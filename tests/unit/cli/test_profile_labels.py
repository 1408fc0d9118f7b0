"""A line item may be asked for as people say it, and by nothing that means more, less or something else."""

from itertools import pairwise

import pytest

from cli.profile.labels import is_generic, meaning, metric_variants
from domain.fold import fold
from domain.matching import letters_of


def shape(name: str) -> tuple[str, ...]:
    """What matching knows of a name."""
    letters = letters_of(fold(name))
    edges = [0, *(i for i in range(1, len(letters.text)) if letters.gaps[i]), len(letters.text)]
    return tuple(letters.text[start:end] for start, end in pairwise(edges))


def names(label: str) -> set[tuple[str, ...]]:
    return {shape(name) for name in (label, *metric_variants(label))}


@pytest.mark.parametrize(
    ("label", "asked"),
    [
        ("Receivables, net", "net receivables"),
        ("Net receivables", "receivables, net"),
        ("Value added tax receivables, net, noncurrent", "net noncurrent value added tax receivables"),
        ("Other Assets, Current", "other current assets"),
        ("Sales Revenue, Net", "net sales revenue"),
        ("Earnings per share: Basic", "basic earnings per share"),
        ("Earnings (loss) per share—diluted", "diluted EPS"),
        ("Trade receivables — unbilled", "unbilled trade receivables"),
        ("Deferred revenue—current portion", "current portion of deferred revenue"),
        ("Deferred revenue, current portion", "current portion of deferred revenue"),
        ("Current portion of long-term debt (Note 11)", "long-term debt, current portion"),
        ("Net income (loss)", "net income"),
        ("Net income (1)", "net income"),
        ("Net deferred tax assets, noncurrent (Note 20)", "noncurrent net deferred tax assets"),
        ("Goodwill,net(Note10)", "net goodwill"),
        ("Indemnification receivable for taxes (see Note 13)", "indemnification receivable for taxes"),
        ("Foreign exchange (losses)/gains1", "foreign exchange gains"),
        ("Provision for / (benefit from) income taxes", "provision for income taxes"),
        ("Other (expense) income, net", "net other income"),
        ("Net cash (used in) provided by operating activities", "cash flow from operating activities"),
        ("Financing activities", "cash provided by financing activities"),
        ("Restricted Share Awards (“RSAs”)", "RSAs"),
        ("Purchases of property, plant and equipment (PP&E)", "purchases of PP&E"),
        ("Property, plant & equipment", "property, plant and equipment"),
        ("Selling, general, and administrative", "SG&A expenses"),
        ("Research and development", "research and development expenses"),
        ("General and administrative expenses", "general and administrative"),
        ("Depreciation and amortization", "amortization and depreciation"),
        ("Number of shares repurchased (in shares)", "number of shares repurchased"),
        ("Cash paid for taxes (net of refunds of $11.2 and $20.7, respectively)", "cash paid for taxes"),
        ("Common stock, $0.001 par value; 5,000 shares authorized", "common stock"),
        ("Accounts receivable, net of allowance of $5", "net accounts receivable"),
        ("Less: Accumulated depreciation", "accumulated depreciation"),
        ("Board of directors: Share-based payments", "share-based payments for the board of directors"),
        ("Net sales: Services", "net sales of services"),
        ("ARPU—on-net", "ARPU from on-net"),
        ("Taxes—non-income based", "non-income based taxes"),
        ("Noncash charges", "non-cash charges"),
        ("Net operating loss carryforwards", "net operating loss carry-forwards"),
    ],
)
def test_a_line_item_may_be_asked_for_as_people_say_it(label: str, asked: str) -> None:
    assert shape(asked) in names(label)


@pytest.mark.parametrize(
    ("label", "asked"),
    [
        # Brackets that bear meaning stay.
        ("Proceeds from debt (maturities greater than 90 days)", "proceeds from debt"),
        ("Revenue (excluding services)", "revenue"),
        ("Gross margin (%)", "gross margin"),
        ("Accrued income taxes (current and long-term)", "accrued income taxes"),
        # The other direction is another figure.
        ("Net income (loss)", "net loss"),
        ("Other (expense) income, net", "net other expense"),
        ("Net cash provided by (used in) investing activities", "net cash used in investing activities"),
        # What stands behind a comma may be moved, not left out.
        ("Receivables, net", "receivables"),
        ("Accounts receivable, gross", "net accounts receivable"),
        ("Deferred revenue, current portion", "deferred revenue"),
        ("Long-term debt, less current portion", "current portion of long-term debt"),
        ("Accounts receivable, net of allowance of $5", "accounts receivable"),
        # A heading and its row are one name.
        ("Cost of sales: Products", "cost of sales"),
        ("Cost of sales: Products", "products"),
        ("Current assets: Marketable securities", "marketable securities"),
        ("Board of directors: Share-based payments", "share-based payments"),
        # Each kind of activities is its own.
        ("Operating activities", "cash provided by investing activities"),
        ("Operating activities", "operating income"),
        ("Cash used in investing activities", "cash flow from investing activities"),
        # An expense is one by its nature only.
        ("Interest", "interest expense"),
        ("Deferred revenue", "deferred revenue expense"),
        ("Income tax expense", "income tax"),
    ],
)
def test_a_name_that_means_something_else_is_not_made(label: str, asked: str) -> None:
    assert shape(asked) not in names(label)


@pytest.mark.parametrize("label", ["Total", "Other, net", "BASIC", "Domestic", "Non-current", "Beginning balance"])
def test_a_label_of_what_kind_but_not_of_what_is_generic(label: str) -> None:
    assert is_generic(label)


@pytest.mark.parametrize("label", ["Total assets", "Other income", "Basic EPS", "其他", "总计", "Netflix", "Goodwill"])
def test_a_label_that_says_of_what_is_not_generic(label: str) -> None:
    assert not is_generic(label)


def test_the_same_label_in_another_writing_means_the_same() -> None:
    assert meaning("Sales revenue, net (2)") == meaning("Net sales revenues")
    assert meaning("Sales revenue, net") != meaning("Sales revenue")
    assert meaning("Total") == meaning("Other") == ""


def test_variants_of_a_long_label_are_few() -> None:
    label = "Selling, general and administrative expenses (Note 3) — restricted stock units, net: other"

    assert len(metric_variants(label)) <= 48
