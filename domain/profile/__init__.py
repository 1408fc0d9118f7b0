"""The company profile: the closed vocabulary in force. Strict; a missing or wrong profile stops the start.

`digest()` is the identity of that vocabulary; it travels in messages so that two processes never answer from different
vocabularies.
"""

from domain.profile.loading import ProfileError, ProfileFile, compare_file, load_profile
from domain.profile.model import (
    RATE_UNITS,
    Channel,
    Company,
    CompanyProfile,
    Derived,
    Entity,
    FaqRules,
    FiscalCalendar,
    FiscalYearLabel,
    Label,
    Metric,
    SensitivityRules,
)

__all__ = [
    "RATE_UNITS",
    "Channel",
    "Company",
    "CompanyProfile",
    "Derived",
    "Entity",
    "FaqRules",
    "FiscalCalendar",
    "FiscalYearLabel",
    "Label",
    "Metric",
    "ProfileError",
    "ProfileFile",
    "SensitivityRules",
    "compare_file",
    "load_profile",
]
