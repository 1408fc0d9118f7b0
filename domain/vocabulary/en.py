"""English words outside of the profile, by what they do in a question."""

from collections.abc import Mapping
from typing import Final

from domain.vocabulary.roles import Role

# One word per line would hide the table.
# fmt: off
# Each key says why its words leave the number as it is.
HARMLESS: Final[Mapping[str, tuple[str, ...]]] = {
    "articles and determiners": (
        "a", "an", "any", "some figure", "the",
    ),
    "question words: they ask for the number": (
        "how", "how big", "how high", "how large", "how was it", "what", "what are our", "what are the",
        "what is our", "what is the", "what s our", "what s the", "what was", "what was the", "what were",
        "what were the", "whats", "whats the",
    ),
    "auxiliaries and copulas": (
        "am", "are", "be", "been", "being", "can", "could", "d", "did", "do", "does", "done", "had", "has", "have",
        "having", "is", "ll", "m", "may", "re", "s", "shall", "should", "ve", "was", "were", "will", "would",
    ),
    "verbs of having: the number is or was reached": (
        "account for", "achieve", "achieved", "allocate", "amounted", "amounts to", "bring", "bring in", "brought",
        "came", "came in", "come", "come in", "deliver", "earn", "generate", "generated", "hit", "incur", "look",
        "look like", "looked", "made", "make", "posted", "produce", "produced", "reach", "reached", "realise",
        "realize", "recorded", "spend", "stand", "stood", "totaled", "totalled",
    ),
    "prepositions and conjunctions: they join what is named": (
        "about", "also", "and", "are there", "as", "as per", "as well as", "at", "between", "by", "concerning",
        "during", "for", "from", "in", "in terms of", "into", "is there", "of", "on", "or", "regarding", "so", "then",
        "there", "to", "towards", "was there", "were there", "with", "with regard to", "with respect to", "within",
    ),
    "comparing words: both values are shown, and their difference": (
        "against", "compare", "compared", "compares", "comparing", "comparison", "in comparison", "v", "versus", "vs",
    ),
    "politeness": (
        "dear", "good afternoon", "good morning", "hello", "hey", "hi", "if possible", "if you can", "kindly",
        "please", "pls", "plz", "sorry", "thank you", "thanks", "thx",
    ),
    "the one who asks, and asking itself": (
        "curious", "help", "i", "i am", "i d", "i want", "i would", "interested", "know", "let", "let me", "like",
        "me", "my", "need", "our", "ours", "tell me the", "to know", "us", "want", "wanted", "we", "wonder",
        "wondering", "you", "your",
    ),
    "verbs of showing": (
        "answer", "calculate", "check", "compute", "determine", "display", "fetch", "find", "find out", "get", "give",
        "give me", "identify", "indicate", "list", "look up", "print", "provide", "pull", "pull up", "quote",
        "report", "retrieve", "return", "say", "see", "share with me", "show", "show me", "specify", "state", "tell",
        "tell me", "view", "write",
    ),
    "manner of the answer: exact digits are always shown": (
        "answer in", "approximately", "around", "directly", "exact", "exactly", "just tell me", "overall figure",
        "precise", "precisely", "respond", "roughly", "specific", "specifically",
    ),
    "reports and figures in general: where facts come from": (
        "10 k", "10 ks", "10 q", "10 qs", "10k", "10q", "according", "according to", "accounts", "amount", "amounts",
        "annual", "annual filing", "annual report", "annual reports", "as disclosed", "as reported", "as stated",
        "balance", "balance sheet", "based", "based on", "books", "cash flow statement", "data", "data point",
        "detailed", "details", "disclosed", "earnings release", "earnings report", "entity", "figure", "figures",
        "filing", "filings", "financial data", "financial report", "financial reports", "financial results",
        "financial statement", "financial statements", "financial year", "financials", "income statement", "info",
        "information", "kpi", "kpis", "level", "levels", "metric", "metrics", "number", "numbers", "performance",
        "published", "reported", "reports", "result", "results", "shown", "stated", "statement", "statements",
        "value", "values", "yearly",
    ),
    "time words around a named period": (
        "12 months ended", "as at", "as of", "calendar year", "date", "end", "ended", "ending", "fiscal",
        "fiscal year", "fiscal years", "full year", "fy", "period", "reporting period", "the year", "time",
        "twelve months ended", "whole year", "year", "year end", "years", "years ended",
    ),
    "the company itself: the entity is named or assumed in the banner": (
        "company", "company s", "corporation", "firm", "its", "organisation", "organization", "our company",
        "the business as a whole", "the company", "the company s",
    ),
}

ROLES: Final[Mapping[Role, tuple[str, ...]]] = {
    Role.TOTAL: (
        "aggregate", "all channels", "all in", "altogether", "combined", "entire", "full", "in aggregate", "in all",
        "in sum", "in total", "overall", "sum", "total", "totals", "whole",
    ),
    Role.EACH: (
        "apiece", "both", "each", "individually", "respective", "respectively", "separately",
    ),
    Role.CHANNEL: (
        "channel", "channels", "distribution channel", "over", "route", "sales channel", "through", "using", "via",
    ),
    Role.BEHIND_ENTITY: (
        "area", "location", "operations", "region", "territory",
    ),
    Role.CHANGE: (
        "change", "changed", "changes", "changing", "climb", "climbed", "decline", "declined", "declines",
        "declining", "decrease", "decreased", "decreases", "decreasing", "delta", "deteriorate", "deteriorated",
        "differ", "difference", "dip", "dipped", "down", "drop", "dropped", "expand", "expanded", "fall", "fallen",
        "falling", "fell", "fluctuate", "fluctuated", "fluctuation", "gain", "gained", "grew", "grow", "growing",
        "grown", "improve", "improved", "improvement", "increase", "increased", "increases", "increasing", "jump",
        "jumped", "move", "moved", "movement", "recover", "recovered", "reduce", "reduced", "reduction", "rise",
        "risen", "rises", "rising", "rose", "shift", "shifted", "shrank", "shrink", "slump", "slumped", "surge",
        "surged", "swing", "up", "variance", "varied", "vary", "weaken", "weakened", "worsen", "worsened",
    ),
    Role.NARRATIVE_CUE: (
        "analyse", "analysis", "analyze", "attributable", "because", "behind", "cause", "caused", "causes", "causing",
        "commentary", "contributed to", "contributors", "describe", "description", "discuss", "discussion", "driven",
        "driver", "drivers", "driving", "drove", "due to", "evolve", "evolved", "explain", "explained", "explains",
        "explanation", "factor", "factors", "happened", "how are", "how come", "how did", "how do", "how does",
        "how has", "how have", "how is", "how was", "how were", "how will", "insight", "insights", "led to",
        "outlook on", "overview", "rationale", "reason", "reasons", "strategies", "strategy", "summarise",
        "summarize", "summary", "tell me about", "trend", "trended", "trending", "trends", "understand", "what drove",
        "why",
    ),
    Role.EFFECT_CUE: (
        "affect", "affected", "affecting", "affects", "correlate", "correlates", "correlation", "effect", "effects",
        "impact", "impacted", "impacting", "impacts", "implication", "implications", "influence", "influenced",
        "reflect", "reflects", "relate", "relates", "relationship",
    ),
    Role.LEGAL_FORM: (
        "ag", "bv", "co", "co ltd", "corp", "gmbh", "holdings", "inc", "incorporated", "limited", "llc", "llp", "ltd",
        "nv", "plc", "pte ltd", "sa",
    ),
    Role.NUMERIC_CUE: (
        "how many", "how much", "what amount",
    ),
    Role.CONCEPT_CUE: (
        "calculated", "computed", "concept of", "define", "defined", "definition", "how do you calculate",
        "how is it calculated", "how to calculate", "is calculated", "is defined", "is meant by", "mean by",
        "meaning", "stand for", "stands for", "what do you mean", "what does it mean",
    ),
    Role.WEAK_CONCEPT_CUE: (
        "what are", "what is", "what s",
    ),
    Role.ADJUSTED: (
        "accrued", "adjusted", "adjustment", "after tax", "after taxes", "aftertax", "attributable to", "audited",
        "basic", "before tax", "before taxes", "book", "book value", "carrying value", "comparable", "consolidated",
        "constant currency", "continuing", "core", "deferred", "diluted", "discontinued", "economic", "embedded",
        "exceptional", "face value", "fair value", "financial", "gaap", "gross", "ifrs", "lfl", "like for like",
        "market value", "minority", "net", "nominal", "nominal value", "non gaap", "non recurring", "nongaap",
        "normalised", "normalized", "one off", "one time", "operating", "organic", "par value", "parent",
        "parent company", "pre tax", "preliminary", "present value", "pretax", "pro forma", "proforma", "real",
        "recurring", "same store", "special", "stand alone", "standalone", "statutory", "taxable", "technical",
        "unadjusted", "unaudited", "unconsolidated", "underlying", "unearned", "written",
    ),
    Role.AVERAGE: (
        "average", "averaged", "averages", "averaging", "avg", "mean", "median", "mode", "typical", "weighted",
    ),
    Role.BREAKDOWN: (
        "annually", "break down", "breakdown", "broken down", "by business", "by business line", "by channel",
        "by country", "by customer", "by division", "by geography", "by market", "by month", "by product",
        "by quarter", "by region", "by segment", "by year", "composition", "daily", "distribution", "every",
        "every month", "every quarter", "every year", "historical", "history", "itemised", "itemized", "mix",
        "monthly", "over the years", "over time", "per day", "per month", "per quarter", "per week", "per year",
        "quarterly", "split", "weekly",
    ),
    Role.BUDGET: (
        "aim", "aimed", "anticipated", "budget", "budgeted", "consensus", "estimate", "estimated", "estimates",
        "expect", "expectation", "expectations", "expected", "forecast", "forecasted", "forecasts", "future", "goal",
        "goals", "guidance", "guided", "outlook", "plan", "planned", "plans", "predict", "predicted", "prediction",
        "project", "projected", "projection", "projections", "prospective", "scenario", "target", "targeted",
        "targets",
    ),
    Role.CONDITION: (
        "assume", "assuming", "case", "if", "in case", "provided that", "suppose", "supposing", "unless",
    ),
    Role.CUMULATIVE: (
        "accumulated", "annualised", "annualized", "cumulative", "cumulatively", "inception", "last twelve months",
        "life to date", "ltm", "mtd", "qtd", "rolling", "run rate", "running", "since", "to date", "trailing",
        "trailing twelve months", "ttm", "until", "up to",
    ),
    Role.CURRENCY: (
        "%", "aud", "australian dollars", "billion", "billions", "bn", "british pounds", "cad", "canadian dollars",
        "cents", "chf", "cny", "convert", "converted", "dollar", "dollars", "employees", "eur", "eur m", "euro",
        "euros", "exchange rate", "fte", "gbp", "headcount", "hk dollars", "hkd", "hong kong dollars", "inr", "jpy",
        "k units", "krw", "m usd", "million", "millions", "mn", "pct", "people", "percent", "percentage points",
        "persons", "pound", "pounds", "renminbi", "rmb", "rupees", "sgd", "shares", "sterling", "swiss francs",
        "thousand", "thousands", "tonnes", "tons", "trillion", "units", "us dollars", "usd", "usd k", "usd m", "yen",
        "yuan",
    ),
    Role.EXCLUSION: (
        "add", "added", "adding", "alone", "apart", "apart from", "aside", "besides", "beyond", "but", "but not",
        "deduct", "deducted", "deducting", "ex", "except", "except for", "excl", "exclude", "excluded", "excludes",
        "excluding", "exclusive", "incl", "include", "included", "includes", "including", "inclusive", "just", "less",
        "minus", "net of", "never", "no", "non", "none", "not", "only", "other than", "outside", "plus", "solely",
        "subtract", "without",
    ),
    Role.GROWTH: (
        "% change", "cagr", "compound", "growth", "growth rate", "increase rate", "mom", "momentum", "month on month",
        "month over month", "percent change", "percentage change", "percentage decrease", "percentage increase",
        "qoq", "quarter on quarter", "quarter over quarter", "rate of change", "rate of growth", "velocity", "y o y",
        "y y", "year on year", "year over year", "yoy",
    ),
    Role.LATEST: (
        "ago", "as of now", "at present", "beginning", "current", "currently", "day", "days", "decade", "earlier",
        "earliest", "ever", "first", "following", "former", "forthcoming", "fourth", "half", "initial", "last",
        "lately", "latest", "live", "month", "months", "most recent", "newest", "next", "now", "nowadays", "opening",
        "past", "present", "previous", "previously", "prior", "quarter", "quarters", "real time", "recent",
        "recently", "second", "so far", "start", "subsequent", "third", "this moment", "today", "tomorrow", "tonight",
        "upcoming", "week", "weeks", "yesterday", "yet",
    ),
    Role.PART: (
        "affiliate", "affiliates", "another", "branch", "branches", "brand", "brands", "business line",
        "business lines", "business unit", "category", "certain", "customer", "customers", "department",
        "departments", "different", "direct", "division", "divisions", "domestic", "export", "exports", "factory",
        "foreign", "global", "headquarters", "hq", "import", "imports", "indirect", "individual", "industry",
        "international", "joint venture", "line of business", "local", "main", "major", "market", "markets", "mobile",
        "most of", "national", "new", "office", "offices", "offline", "old", "online", "other", "others", "overseas",
        "part", "partial", "parts", "plant", "product", "product line", "product lines", "products", "regional",
        "remaining", "rest", "retail", "sector", "segment", "segments", "service", "services", "site", "some",
        "store", "stores", "sub", "subsidiaries", "subsidiary", "team", "unit", "wholesale", "world", "worldwide",
    ),
    Role.PER_UNIT: (
        "a head", "a share", "apiece price", "each employee", "per capita", "per customer", "per employee",
        "per head", "per share", "per store", "per unit", "per user", "price of",
    ),
    Role.RANKING: (
        "above", "all", "all companies", "all entities", "among", "at least", "at most", "below", "best", "better",
        "bigger", "biggest", "bottom", "competitor", "competitors", "exceed", "exceeded", "exceeding", "exceeds",
        "greater", "greatest", "high", "higher", "highest", "larger", "largest", "leading", "least", "less than",
        "low", "lower", "lowest", "max", "maximum", "min", "minimum", "more", "more than", "most", "no less than",
        "no more than", "outperform", "over 100", "peak", "peer", "peers", "position", "rank", "ranked", "ranking",
        "rankings", "record high", "record low", "smaller", "smallest", "than", "threshold", "top", "trough", "under",
        "worse", "worst",
    ),
    Role.RATIO: (
        "as a percentage", "contribute", "contributed", "contribution", "cover", "coverage", "divide", "divided",
        "fraction", "index", "margin", "margins", "market share", "multiple", "multiplied", "of total", "out of",
        "payout", "penetration", "percentage", "percentage of", "portion", "proportion", "rate", "rates", "ratio",
        "ratios", "relative", "relative to", "represent", "represents", "return on", "returns", "returns on", "share",
        "share of", "times", "turnover", "utilisation", "utilization", "yield", "yield on",
    ),
    Role.REFERENCE: (
        "aforementioned", "corresponding", "he", "her", "here", "him", "his", "it", "latter", "one", "ones",
        "respective company", "same", "she", "such", "that", "that is", "their", "them", "these", "they", "this",
        "those",
    ),
    Role.RESTATED: (
        "amended", "corrected", "first reported", "initially reported", "original", "originally",
        "originally reported", "reclassified", "restate", "restated", "restatement", "revised", "revision", "updated",
    ),
    Role.PARTICIPLE: (
        "allocated", "booked", "delivered", "earned", "incurred", "realised", "realized", "spent",
    ),
    Role.OTHER_QUESTION: (
        "what date", "what time", "when", "where", "whether", "which", "which company", "which entity",
        "which quarter", "which year", "who", "whom", "whose",
    ),
}
# fmt: on
