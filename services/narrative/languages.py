"""The languages that texts are cut by."""

from enum import StrEnum


class Language(StrEnum):
    """The language of a text, as far as cutting it into tokens goes. Others are cut like English."""

    ZH = "zh"
    EN = "en"
    IT = "it"
