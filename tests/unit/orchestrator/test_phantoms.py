import pytest

from services.orchestrator.phantoms import MAX_PROSE_CHARS, Given, plain_prose, without_phantoms

GIVEN = Given(("visit_log.pdf", "p3", "台风通报"), ("见《门店手册》。Meteo Italia said so: https://acme.example/a",))


@pytest.mark.parametrize(
    ("prose", "left"),
    [
        ("据 phantom.pdf，台风季停业。", "台风季停业。"),
        ("根据《phantom.pdf》显示，台风季停业。", "台风季停业。"),
        ("台风季停业（来源：phantom.pdf）。", "台风季停业。"),
        ("台风季停业。（资料来源：phantom.pdf p9；other.xlsx）", "台风季停业。"),
        ("台风季停业。\n来源：内部数据", "台风季停业。"),
        ("台风季停业。\n**Sources:** phantom.pdf", "台风季停业。"),
        ("Stores closed (source: board minutes).", "Stores closed."),
        ("According to phantom.docx, stores closed.", "stores closed."),
        ("According to Bloomberg, stores closed.", "stores closed."),
        ("Secondo Reuters, i negozi erano chiusi.", "i negozi erano chiusi."),
        ("据彭博社报道，台风季停业。", "台风季停业。"),
        ("根据《绝密报告》，台风季停业。", "台风季停业。"),
        ("详见 https://evil.example/x?d=1 。", ""),
        ("台风季停业。![x](https://evil.example/a.png)", "台风季停业。"),
        ("见 my_visit_log.pdf。台风季停业。", "台风季停业。"),
        ("phantom.pdf", ""),
        ("据phantom.pdf台风季停业。", "台风季停业。"),
    ],
)
def test_a_source_that_nobody_gave_goes_with_the_words_that_lead_to_it(prose: str, left: str) -> None:
    assert without_phantoms(prose, GIVEN) == left


@pytest.mark.parametrize(
    "prose",
    [
        "见 visit_log.pdf 的说明。",
        "见visit_log.pdf。",
        "台风季停业（来源：visit_log.pdf p3）。",
        "据台风通报，门店停业。",
        "见《门店手册》。",
        "According to Meteo Italia, stores closed.",
        "详见 https://acme.example/a 。",
        "第一段。\n\n第二段。",
    ],
)
def test_what_was_given_or_is_spoken_of_in_it_stays(prose: str) -> None:
    assert without_phantoms(prose, GIVEN) == prose


def test_tags_entities_and_controls_cannot_hide_a_number() -> None:
    assert plain_prose("<b>9</b><b>9</b> &#57;&#57; 9\u200b9 9*9", "nonce") == "99 99 99 99"


def test_marks_of_the_prompt_are_never_shown() -> None:
    assert plain_prose("<passage n0nce [1]>\n停业。\n</passage n0nce>", "n0nce") == "停业。"


def test_an_endless_prose_is_cut_at_a_sentence() -> None:
    assert plain_prose("停业。" * MAX_PROSE_CHARS, "nonce") == ("停业。" * MAX_PROSE_CHARS)[: MAX_PROSE_CHARS // 3 * 3]
