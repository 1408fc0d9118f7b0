"""Codes that clients, dashboards and alerts key on. A code is never renamed inside one major version."""

from enum import StrEnum
from typing import Final

TOTAL_CHANNEL: Final = "TOTAL"
"""The channel that is meant when none is named."""


class Route(StrEnum):
    """Which path answered."""

    STRUCTURED = "structured"
    NARRATIVE = "narrative"
    COMPOSITE = "composite"
    DECOMPOSED = "decomposed"
    FAQ = "faq"


class AnswerKind(StrEnum):
    """What the answer is worth: see docs/request-flow.md for the rule that picks it."""

    NORMAL = "normal"
    CLARIFICATION = "clarification"
    REFUSAL = "refusal"
    DEGRADED = "degraded"


class ClarifyMode(StrEnum):
    """The outcome of the clarification step, in the order in which the branches are tried."""

    OUT_OF_SCOPE_ENTITY = "out_of_scope_entity"
    ASK_FIRST = "ask_first"
    ANSWER_WITH_ASSUMPTIONS = "answer_with_assumptions"
    NONE = "none"


class FactStatus(StrEnum):
    """The outcome of one look-up."""

    FOUND = "found"
    NOT_FOUND = "not_found"
    UNRECOGNIZED_PARAM = "unrecognized_param"
    CONFLICTING = "conflicting"


class FactParam(StrEnum):
    """A part of a fact's scope, as named in `unrecognized_param`."""

    METRIC = "metric"
    ENTITY = "entity"
    PERIOD = "period"
    CHANNEL = "channel"


class PeriodType(StrEnum):
    """The kind of a period; a period of one kind is never compared with one of another."""

    FY = "FY"  # 2024
    HY = "HY"  # 2024H1
    QUARTER = "QUARTER"  # 2024Q3
    MONTH = "MONTH"  # 2024M10
    YTD = "YTD"  # 2024Q3YTD: from the start of the fiscal year to the end of that quarter


class ReviewStatus(StrEnum):
    """Only approved facts answer."""

    APPROVED = "approved"
    PENDING = "pending"
    BLOCKED = "blocked"
    REJECTED = "rejected"


class Locale(StrEnum):
    """The language of an answer."""

    ZH = "zh"
    EN = "en"
    IT = "it"


class ResidueKind(StrEnum):
    """Why a word of a numeric question was neither a slot nor harmless (open: members may be added)."""

    QUALIFIER = "qualifier"  # known to change the number, and not honoured
    UNKNOWN = "unknown"  # not in the vocabulary
    UNKNOWN_ENTITY = "unknown_entity"  # reads as the name of somebody or something we do not know
    AMBIGUOUS = "ambiguous"  # a name of several metrics; the residue holds them
    SUSPICIOUS = "suspicious"  # bidi controls or mixed scripts inside one word


class GuardReason(StrEnum):
    """What the model did that the guard had to correct; counted per answer."""

    NO_TOOL_CALL = "no_tool_call"
    SCOPE_DRIFT = "scope_drift"
    BAD_ARGUMENTS = "bad_arguments"
    UNKNOWN_TOOL = "unknown_tool"
    TURN_LIMIT = "turn_limit"
    PROSE_NUMBER = "prose_number"


class OperationKind(StrEnum):
    """What a question wants computed."""

    GROWTH = "growth"
    DIFFERENCE = "difference"
    RATIO = "ratio"
    SHARE = "share"
    RANKING = "ranking"


class GrowthBasis(StrEnum):
    """With which period a growth compares."""

    PRIOR_YEAR = "prior_year"  # the same period of the fiscal year before
    PRIOR_PERIOD = "prior_period"  # the half, quarter or month before


class Axis(StrEnum):
    """The slot in which the operands of an operation differ."""

    METRIC = "metric"
    ENTITY = "entity"
    PERIOD = "period"
    CHANNEL = "channel"


class RankingOrder(StrEnum):
    """Which figure comes first."""

    HIGHEST_FIRST = "highest_first"
    LOWEST_FIRST = "lowest_first"


class Measure(StrEnum):
    """What a computed value is."""

    AMOUNT = "amount"  # in the unit of the figures
    PERCENT = "percent"  # of the base, the denominator or the whole
    PERCENTAGE_POINTS = "percentage_points"  # the difference of two rates
    RATIO = "ratio"  # one figure over the other
    PLACE = "place"  # an order


class CalculationRefusal(StrEnum):
    """Why something was not computed (open: members may be added)."""

    OPERAND_MISSING = "operand_missing"
    OPERAND_CONFLICTING = "operand_conflicting"
    OPERAND_UNAVAILABLE = "operand_unavailable"  # the fact source did not answer
    UNITS_DIFFER = "units_differ"
    BASE_NOT_POSITIVE = "base_not_positive"
    TIED = "tied"  # equal figures leave nobody at the asked place


class NothingFound(StrEnum):
    """Why a search for passages found none (open: members may be added)."""

    NO_MATERIAL = "no_material"  # no passage is loaded
    NOTHING_IN_SCOPE = "nothing_in_scope"  # passages are loaded, but none for the asked entity and period
    NO_MATCH = "no_match"  # there are some in scope, but they have nothing to do with the question


class RankedBy(StrEnum):
    """What the order of retrieved passages rests on (open: members may be added)."""

    WORDS = "words"  # the words of question and passages
    WORDS_AND_VECTORS = "words_and_vectors"  # and the nearness of their embeddings


class FaqState(StrEnum):
    """Where a vetted answer stands; only approved ones are served."""

    DRAFT = "draft"
    APPROVED = "approved"
    DISABLED = "disabled"
    STALE = "stale"  # a fact that it depends on has changed since it was approved


class FaqAction(StrEnum):
    """What was done to a vetted answer."""

    CREATED = "created"
    CHANGED = "changed"
    APPROVED = "approved"
    DISABLED = "disabled"
    WENT_STALE = "went_stale"
    DELETED = "deleted"


class Scope(StrEnum):
    """What an API key allows over HTTP."""

    ASK = "ask"  # ask, and read facts, the catalogue, vetted answers and its own asks
    LOAD = "load"  # load and withdraw facts and passages
    FAQ_WRITE = "faq:write"  # change vetted answers
    ADMIN = "admin"  # all of it, and the metrics


class AskState(StrEnum):
    """How far a durable ask is; the last two are final."""

    QUEUED = "queued"  # waits for its turn, or for a part of the service that is away
    WORKING = "working"
    ANSWERED = "answered"
    FAILED = "failed"


class ErrorCode(StrEnum):
    """Every error a caller can meet, on HTTP and on the bus alike."""

    INVALID_REQUEST = "invalid_request"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    CONFLICT = "conflict"
    IDEMPOTENCY_MISMATCH = "idempotency_mismatch"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    TOO_MANY_SUBTASKS = "too_many_subtasks"
    OVERLOADED = "overloaded"
    RATE_LIMITED = "rate_limited"
    UNAVAILABLE = "unavailable"
    FACT_SOURCE_UNAVAILABLE = "fact_source_unavailable"
    PROFILE_MISMATCH = "profile_mismatch"
    DEADLINE_EXCEEDED = "deadline_exceeded"
    INTERNAL = "internal"


HTTP_STATUS: dict[ErrorCode, int] = {
    ErrorCode.INVALID_REQUEST: 422,
    ErrorCode.UNAUTHENTICATED: 401,
    ErrorCode.FORBIDDEN: 403,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.METHOD_NOT_ALLOWED: 405,
    ErrorCode.CONFLICT: 409,
    ErrorCode.IDEMPOTENCY_MISMATCH: 422,
    ErrorCode.PAYLOAD_TOO_LARGE: 413,
    ErrorCode.UNSUPPORTED_MEDIA_TYPE: 415,
    ErrorCode.TOO_MANY_SUBTASKS: 422,
    ErrorCode.OVERLOADED: 429,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.UNAVAILABLE: 503,
    ErrorCode.FACT_SOURCE_UNAVAILABLE: 503,
    ErrorCode.PROFILE_MISMATCH: 503,
    ErrorCode.DEADLINE_EXCEEDED: 504,
    ErrorCode.INTERNAL: 500,
}
"""The HTTP status (and the ADR-32 number on the bus) of each error code."""
