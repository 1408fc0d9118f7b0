"""The languages that texts are cut by."""

from enum import StrEnum


class Language(StrEnum):
    """The language of a text, as far as cutting it into tokens goes. Others are cut like English."""

    ZH = "zh"
    EN = "en"
    IT = "it"


def each_apart(of_question: frozenset[Language]) -> list[frozenset[Language]]:
    """The languages of a question, and then each other one by itself."""
    return [of_question, *(frozenset({language}) for language in sorted(frozenset(Language) - of_question))]
