"""Every key of a TOML text is found on its line."""

import tomllib

from domain.profile.lines import key_lines, line_of

SOURCE = '''# a comment with [brackets] = "x"
[company] # the company
name = "A # not a comment"
note = """
[not.a.table]
x = 1"""

[entities."中 国"]
synonyms = [
  "a", # first
  # between
  "b ] , }", 'c',
]
label = { zh = "甲", "en" = 'x, y' }
nested.key = 3

[[rows]]
a = 1
[[rows]]
a = { b = [1,
  2] }
'''


def test_every_key_is_found_on_its_line() -> None:
    tomllib.loads(SOURCE)

    lines = key_lines(SOURCE)

    assert lines == {
        ("company",): 2,
        ("company", "name"): 3,
        ("company", "note"): 4,
        ("entities", "中 国"): 8,
        ("entities", "中 国", "synonyms"): 9,
        ("entities", "中 国", "synonyms", 0): 10,
        ("entities", "中 国", "synonyms", 1): 12,
        ("entities", "中 国", "synonyms", 2): 12,
        ("entities", "中 国", "label"): 14,
        ("entities", "中 国", "label", "zh"): 14,
        ("entities", "中 国", "label", "en"): 14,
        ("entities", "中 国", "nested", "key"): 15,
        ("rows", 0): 17,
        ("rows", 0, "a"): 18,
        ("rows", 1): 19,
        ("rows", 1, "a"): 20,
        ("rows", 1, "a", "b"): 20,
        ("rows", 1, "a", "b", 0): 20,
        ("rows", 1, "a", "b", 1): 21,
    }


def test_a_key_that_is_not_written_is_placed_at_its_table() -> None:
    lines = key_lines(SOURCE)

    assert line_of(("company", "time_zone"), lines) == 2
    assert line_of(("entities",), lines) == 8
    assert line_of(("competitors",), lines) is None
