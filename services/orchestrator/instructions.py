"""Where a passage stops reporting and starts to tell a model what to do. Pure.

From there to its end a passage is no material: it is not shown to a model, not quoted, and supports no number. What
stands before it stays. This finds the usual ways to address a model, in Chinese, English and Italian; what it misses is
met by the checks of what the model says.
"""

import re
from typing import Final

from contracts.v1.narrative import Passage
from domain.fold import fold
from domain.sentences import sentence_spans

_BEGIN: Final = r"(?:^|[\n>\[\]*:;,\"“(-] ?)"
_EN: Final = (
    r"(?<![a-z])(?:ignore|disregard|forget|override|bypass|overrule|do not follow)(?![a-z]).{0,40}(?<![a-z])"
    r"(?:instructions?|rules?|prompts?|guidelines?|directions?|above|previous|everything|context|restrictions?)",
    rf"{_BEGIN}(?:system|assistant|developer|admin|administrator)(?: (?:prompt|message|note|override|notice))? ?[:>\]]",
    rf"{_BEGIN}(?:(?:please|now|then|and|instead|always|just|must|you must|you should|simply) )*(?:reply|respond|answer"
    r"|output|print|repeat|say|tell the user|write)(?![a-z])[^.]{0,40}?(?:exactly|only|verbatim|word for word|with|the"
    r" following|this|that|:|\"|“)",
    r"(?<![a-z])(?:new|real|actual|true|secret|hidden|updated) (?:instructions?|task|rules|directive)(?![a-z])",
    r"(?<![a-z])(?:the|this|any|an?|to) (?:ai|llm|language model|chatbot|assistant|model)(?: reading this)?,?"
    r" (?:must|should|shall|has to|is (?:now )?(?:told|required|instructed|ordered))",
    r"(?<![a-z])(?:note|message|instructions?|attention|dear|hey|hello)(?: to| for|,)? (?:the |all |any )?"
    r"(?:ai|llms?|language models?|chatbots?|assistants?)(?![a-z])",
    r"(?<![a-z])you are (?:now|no longer) |(?<![a-z])(?:developer|dan|god|debug|maintenance) mode|jailbreak",
    r"(?<![a-z])(?:reveal|print|show|leak|repeat|output) (?:me )?(?:the |your |all )?(?:system prompt|hidden|restricted"
    r"|confidential|instructions)",
)
_MARKS: Final = (
    r"</?(?:passage|system|assistant|user|instructions?|prompt|context|document)(?![a-z])|<\|[a-z_]{2,}|\[/?inst\]"
    r"|#{2,} ?(?:instruction|system|response|new)|[\"']role[\"'] ?:|\{\{.{0,40}\}\}|<!--",
)
_ZH: Final = (
    r"(?:忽略|无视|忘记|忘掉|不要理会|不要遵守|不再遵守|不要管|覆盖|绕过|跳过|推翻).{0,14}"
    r"(?:指令|指示|规则|提示|要求|上文|以上|之前|前面|设定|约束|限制|内容)",
    rf"{_BEGIN}(?:系统|助手|开发者|管理员|助理)(?:提示|消息|指令|指示|通知|覆写)? ?[:\]】]|[【\[](?:系统|管理员)",
    r"(?:请|务必|必须|直接|仅|改为|应当?|统一|一律|立即|照此|原样)(?:直接|只|仅|如实|原样)?(?:向用户|对用户|给用户)?"
    r"(?:回答|回复|输出|复述|重复|打印|写出|说出|告诉用户|声明|宣布)",
    r"告诉用户|你(?:现在|从现在起)?(?:必须|只能|务必|是一?[个名])|(?<![a-z])(?:ai|llm)(?:助手|模型)?(?:必须|应|请|需|务必|要)"
    r"|(?:大模型|语言模型|人工智能|聊天机器人|智能助手)(?:必须|应|请|需|务必|要|,)",
    r"(?:新的?|真正的?|隐藏的?|最新)(?:指令|指示|任务|规则)(?!手册|书)",
    r"(?:开发者|调试|维护|越狱)模式|系统提示词?|(?:输出|泄露|展示|打印)(?:全部|所有)?(?:机密|保密|受限|提示词)",
)
_IT: Final = (
    r"(?<![a-z])(?:ignora|dimentica|trascura|scavalca|annulla)(?:re|te)?(?![a-z]).{0,40}"
    r"(?:istruzion|regol|prompt|precedent|sopra|contesto|limit)",
    rf"{_BEGIN}(?:sistema|assistente|amministratore|sviluppatore) ?[:>\]]",
    r"(?:^|[\n>:;\"“(] ?)(?:(?:ora|adesso|poi|invece|per favore|devi|sempre) )*(?:rispondi|rispondere|scrivi"
    r"|stampa|ripeti|comunica all'utente)(?![a-z])",
    r"(?<![a-z])(?:l['’]assistente|il modello|l['’]ia|il chatbot) (?:deve|dovrà)|nuov[ae] istruzion"
    r"|modalità (?:sviluppatore|debug)",
)
_ADDRESSES_A_MODEL: Final = re.compile("|".join(f"(?:{form})" for form in (*_EN, *_MARKS, *_ZH, *_IT)))


def reporting_part(text: str) -> str:
    """A text up to the sentence that tells a model what to do; the whole of it where none does."""
    for start, end in sentence_spans(text):
        if _ADDRESSES_A_MODEL.search(fold(text[start:end]).text):
            return text[:start].rstrip()
    return text


def as_material(passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
    """What the passages report; one that reports nothing is left out, title included."""
    reported = (passage.model_copy(update=_reported(passage)) for passage in passages)
    return tuple(passage for passage in reported if passage.text.strip())


def _reported(passage: Passage) -> dict[str, str | None]:
    title = passage.title if passage.title and reporting_part(passage.title) == passage.title else None
    return {"text": reporting_part(passage.text), "title": title}
