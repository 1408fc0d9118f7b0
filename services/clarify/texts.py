"""Every sentence a user can see in an answer, in Chinese, English and Italian; codes are never translated.

A language without one of the sentences cannot be constructed. The fixed sentences (those without a placeholder) carry
no digit of any script, so that a refusal or a degraded answer can never look like a number.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from contracts.codes import Locale


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The sentences of one language; `{names in braces}` are filled by `str.format`."""

    # One scope
    scope: str
    channel: str
    found: str
    source: str
    as_of: str
    not_found: str
    unrecognized: str

    # Several scopes
    several: str
    bullet: str
    not_found_line: str
    unrecognized_line: str
    unavailable_line: str
    conflict: str
    comparison: str
    percent: str
    percentage_points: str

    # Refusing, asking back, assuming
    question: str
    """A plain question for slots, to be sent back; every word of it must be harmless to the parser."""
    out_of_scope: str
    rephrase: str
    ask_metric: str
    ambiguous_metric: str
    residue_qualifier: str
    residue_unknown: str
    residue_entity: str
    residue_advice: str
    without: str
    assumed_entity: str
    assumed_period: str
    assumed_newest: str
    assumed_today: str
    ask_newest: str
    nothing_loaded: str
    banner: str
    banner_without_options: str

    # Narrative
    analysis: str
    no_material: str
    no_match: str
    no_answer: str
    sources: str
    unsupported_numbers: str

    # A part is away
    facts_unavailable: str
    degraded_structured: str
    degraded_narrative: str

    # Joining
    named: str
    """A code with its display name."""
    quoted: str
    comma: str
    semicolon: str
    slash: str
    ellipsis: str


_ZH: Final = Wording(
    scope="{entity} {period} {metric}{channel}",
    channel="（渠道 {channel}）",
    found="{scope}：{value} {unit}",
    source="（来源：{doc} · {locator}{as_of}）",
    as_of=" · 截至 {date}",
    not_found="查不到：{metric} / {entity} / {period}（渠道 {channel}）未在事实表中找到。"
    "为避免误导，不提供任何推测数字；可尝试调整期间或实体后重问。",
    unrecognized="无法识别参数 {param}：'{raw}'。请换个说法后重问。",
    several="对比结果：",
    bullet="- {line}",
    not_found_line="{scope}：查不到（未在事实表中找到，不提供推测数字）",
    unrecognized_line="{scope}：无法识别参数 {param}：'{raw}'",
    unavailable_line="{scope}：事实数据源暂时不可用（未能查询，不提供推测数字）",
    conflict="以上来源口径不一致，系统不作取舍。",
    comparison="对比：{later} 较 {earlier} {difference} {unit}{percent}",
    percent="（{percent}%）",
    percentage_points="个百分点",
    question="{slots}是多少",
    out_of_scope="{names} 不在 {company} 的数据范围内，无法回答与其有关的问题。",
    rephrase="问题里有容易混淆的字符（方向控制符，或同个词里混用了不同文字）。请重新输入后再问。",
    ask_metric="请问要查询哪个指标？支持的指标：{metrics}。",
    ambiguous_metric="“{word}”可以指多个指标：{metrics}。请问要查询哪一个？",
    residue_qualifier="会改变数字口径而暂不支持的限定{words}",
    residue_unknown="未能识别的词{words}",
    residue_entity="未收录的实体{words}",
    residue_advice="问题里有无法处理的内容：{problems}。为避免答非所问，没有忽略它们；请改写后重问。",
    without="去掉{words}",
    assumed_entity="未指明实体，默认取 {entity}",
    assumed_period="未指明期间，默认取最近完整财年 {period}",
    assumed_newest="“{words}”取已入库的最新期间 {period}",
    assumed_today="按问题所给日期，以 {date} 为今天",
    ask_newest="“{words}”可以指不同的期间（种类不同，或各项的最新期间不同）。请选择一个选项，或在问题里写明期间。",
    nothing_loaded="查不到：{metric} / {entity}（渠道 {channel}）在事实表中没有已入库的这类期间，无法确定最新期间。"
    "为避免误导，不提供任何推测数字；可指明期间后重问。",
    banner="【假设】{notes}（如需收窄：{options}）",
    banner_without_options="【假设】{notes}",
    analysis="归因分析：",
    no_material="目前没有可用的资料，无法给出分析。",
    no_match="没有找到与所问内容及其实体、期间相符的资料，无法给出分析。",
    no_answer="现有资料不足以回答这个问题。",
    sources="（资料来源：{sources}）",
    unsupported_numbers="（以下数字在所引资料中没有依据：{numbers}）",
    facts_unavailable="事实数据源暂时不可用，未能查询；为避免误导，不提供任何数字。请稍后重试。",
    degraded_structured="AI 服务暂时不可用，未能完成查询；为避免误导，不提供任何数字。请稍后重试。",
    degraded_narrative="AI 服务暂时不可用，未能给出分析。请稍后重试。",
    named="{code}（{label}）",
    quoted="“{word}”",
    comma="、",
    semicolon="；",
    slash="／",
    ellipsis="…",
)

_EN: Final = Wording(
    scope="{entity} {period} {metric}{channel}",
    channel=" (channel {channel})",
    found="{scope}: {value} {unit}",
    source=" (source: {doc} · {locator}{as_of})",
    as_of=" · as of {date}",
    not_found="Not found: {metric} / {entity} / {period} (channel {channel}) is not in the fact table. "
    "So as not to mislead, no estimate is given; try another period or entity.",
    unrecognized="Parameter {param} was not recognised: '{raw}'. Please rephrase the question.",
    several="Results:",
    bullet="- {line}",
    not_found_line="{scope}: not found (not in the fact table, no estimate is given)",
    unrecognized_line="{scope}: parameter {param} was not recognised: '{raw}'",
    unavailable_line="{scope}: the fact source is unavailable (not looked up, no estimate is given)",
    conflict="These sources disagree; the system does not choose between them.",
    comparison="Comparison: {later} against {earlier} {difference} {unit}{percent}",
    percent=" ({percent}%)",
    percentage_points="percentage points",
    question="How much is {slots}?",
    out_of_scope="{names}: outside the data of {company}, so questions about it cannot be answered.",
    rephrase="The question contains confusing characters (direction controls, or different scripts inside a word). "
    "Please type it again.",
    ask_metric="Which metric do you mean? Supported metrics: {metrics}.",
    ambiguous_metric='"{word}" could mean several metrics: {metrics}. Which one do you mean?',
    residue_qualifier="unsupported, as it would change the number: {words}",
    residue_unknown="not understood: {words}",
    residue_entity="unknown entity: {words}",
    residue_advice="The question cannot be answered as it stands ({problems}). Nothing was ignored, so as not to "
    "answer another question; please rephrase it.",
    without="Without {words}",
    assumed_entity="no entity was named, so {entity} is assumed",
    assumed_period="no period was named, so the last complete fiscal year {period} is assumed",
    assumed_newest='"{words}" is taken as {period}, the newest period that is loaded',
    assumed_today="the question says that today is {date}",
    ask_newest='"{words}" could mean several periods (of different kinds, or one for each figure). Please choose an '
    "option, or name the period.",
    nothing_loaded="Not found: no period of that kind is loaded for {metric} / {entity} (channel {channel}), so there "
    "is no newest one. So as not to mislead, no estimate is given; name a period and ask again.",
    banner="[Assumption] {notes} (to narrow it down: {options})",
    banner_without_options="[Assumption] {notes}",
    analysis="Analysis:",
    no_material="There is no material to draw on yet, so no analysis can be given.",
    no_match="No material matches the question with its entity and period, so no analysis can be given.",
    no_answer="The material does not answer this question.",
    sources="(Sources: {sources})",
    unsupported_numbers="(Not supported by the sources: {numbers})",
    facts_unavailable="The fact source is unavailable, so nothing was looked up; so as not to mislead, no number is "
    "given. Please try again later.",
    degraded_structured="The AI service is unavailable and the look-up was not completed; so as not to mislead, no "
    "number is given. Please try again later.",
    degraded_narrative="The AI service is unavailable, so no analysis can be given. Please try again later.",
    named="{code} ({label})",
    quoted='"{word}"',
    comma=", ",
    semicolon="; ",
    slash=" / ",
    ellipsis="…",
)

_IT: Final = Wording(
    scope="{entity} {period} {metric}{channel}",
    channel=" (canale {channel})",
    found="{scope}: {value} {unit}",
    source=" (fonte: {doc} · {locator}{as_of})",
    as_of=" · al {date}",
    not_found="Non trovato: {metric} / {entity} / {period} (canale {channel}) non è nella tabella dei fatti. "
    "Per non indurre in errore non si dà alcuna stima; provare con altri periodi o entità.",
    unrecognized="Parametro {param} non riconosciuto: '{raw}'. Riformulare la domanda.",
    several="Risultati:",
    bullet="- {line}",
    not_found_line="{scope}: non trovato (non è nella tabella dei fatti, nessuna stima)",
    unrecognized_line="{scope}: parametro {param} non riconosciuto: '{raw}'",
    unavailable_line="{scope}: la fonte dei fatti non è disponibile (non consultata, nessuna stima)",
    conflict="Le fonti qui sopra non concordano; il sistema non sceglie.",
    comparison="Confronto: {later} rispetto a {earlier} {difference} {unit}{percent}",
    percent=" ({percent}%)",
    percentage_points="punti percentuali",
    question="Quanto è {slots}?",
    out_of_scope="{names}: fuori dai dati di {company}, quindi non è possibile rispondere.",
    rephrase="La domanda contiene caratteri ambigui (controlli di direzione o scritture diverse nella stessa parola). "
    "Riscriverla.",
    ask_metric="Quale metrica interessa? Metriche disponibili: {metrics}.",
    ambiguous_metric="«{word}» può indicare più metriche: {metrics}. Quale interessa?",
    residue_qualifier="non gestito, perché cambierebbe il numero: {words}",
    residue_unknown="non riconosciuto: {words}",
    residue_entity="entità sconosciuta: {words}",
    residue_advice="Così com'è, la domanda non può avere risposta ({problems}). Nulla è stato ignorato, per non "
    "rispondere ad altro; riformularla.",
    without="Senza {words}",
    assumed_entity="entità non indicata, si assume {entity}",
    assumed_period="periodo non indicato, si assume l'ultimo esercizio completo {period}",
    assumed_newest="«{words}» è inteso come {period}, il periodo più recente tra quelli caricati",
    assumed_today="secondo la domanda oggi è il {date}",
    ask_newest="«{words}» può indicare periodi diversi (di tipo diverso, o uno per ogni cifra). Scegliere un'opzione o "
    "indicare il periodo.",
    nothing_loaded="Non trovato: per {metric} / {entity} (canale {channel}) non è caricato alcun periodo di questo "
    "tipo, quindi non ce n'è uno più recente. Per non indurre in errore non si dà alcuna stima; indicare un periodo.",
    banner="[Ipotesi] {notes} (per restringere: {options})",
    banner_without_options="[Ipotesi] {notes}",
    analysis="Analisi:",
    no_material="Non c'è ancora materiale da consultare, quindi non è possibile dare un'analisi.",
    no_match="Nessun materiale corrisponde alla domanda con entità e periodo, quindi non è possibile dare un'analisi.",
    no_answer="Il materiale non risponde a questa domanda.",
    sources="(Fonti: {sources})",
    unsupported_numbers="(Senza riscontro nelle fonti: {numbers})",
    facts_unavailable="La fonte dei fatti non è disponibile e non è stata consultata; per non indurre in errore non si "
    "dà alcun numero. Riprovare più tardi.",
    degraded_structured="Il servizio AI non è disponibile e la ricerca non è stata completata; per non indurre in "
    "errore non si dà alcun numero. Riprovare più tardi.",
    degraded_narrative="Il servizio AI non è disponibile, quindi non è possibile dare un'analisi. Riprovare più tardi.",
    named="{code} ({label})",
    quoted="«{word}»",
    comma=", ",
    semicolon="; ",
    slash=" / ",
    ellipsis="…",
)

CATALOGUE: Final[Mapping[Locale, Wording]] = MappingProxyType({Locale.ZH: _ZH, Locale.EN: _EN, Locale.IT: _IT})


def wording(locale: Locale) -> Wording:
    """The sentences of that language."""
    return CATALOGUE[locale]
