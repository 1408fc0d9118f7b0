"""Questions about nothing in particular, against which a passage is held when it is embedded.

Some passages are near to any question in another language. How near a passage is to questions that have nothing to do
with it is taken off its nearness to the one that is asked, across languages only; see docs/retrieval.md.
"""

from itertools import product
from typing import Final

from services.narrative.languages import Language

NEAREST: Final = 10
"""So many of the nearest questions are averaged."""

_ZH: Final = (
    "{}位于哪里？|{}是什么时候成立的？|{}有多少人？|谁创立了{}？|{}的主要特点是什么？|{}为什么重要？|{}是如何发展的？"
    "|{}由哪几部分组成？|{}的长度是多少？|{}属于哪个国家？",
    "这座城市|这所大学|这条河流|这家公司|这部电影|这种动物|这场战争|这支球队|这项技术|这座桥"
    "|这种疾病|这本小说|这个王朝|这条铁路|这座岛|这种语言|这位作家|这个节日|这座山|这项法律",
)
_EN: Final = (
    "Where is {}?|When was {} founded?|How many people belong to {}?|Who created {}?|What is special about {}?"
    "|Why does {} matter?|How did {} develop?|What are the parts of {}?|How long is {}?"
    "|Which country does {} belong to?",
    "the city|the university|the river|the company|the film|the animal|the war|the team|the technology|the bridge"
    "|the disease|the novel|the dynasty|the railway|the island|the language|the writer|the festival"
    "|the mountain|the law",
)
_IT: Final = (
    "Dove si trova {}?|Quando è nata {}?|Quante persone fanno parte di {}?|Chi ha creato {}?"
    "|Che cosa rende speciale {}?|Perché conta {}?|Come si è sviluppata {}?|Di quali parti è fatta {}?"
    "|Quanto è lunga {}?|A quale paese appartiene {}?",
    "la città|l'università|la costa|l'azienda|la commedia|la specie|la guerra|la squadra|la tecnica|la diga"
    "|la malattia|la poesia|la dinastia|la ferrovia|l'isola|la lingua|la scrittrice|la festa|la montagna|la legge",
)

QUESTIONS: Final[dict[Language, tuple[str, ...]]] = {
    language: tuple(form.format(topic) for form, topic in product(forms.split("|"), topics.split("|")))
    for language, (forms, topics) in ((Language.ZH, _ZH), (Language.EN, _EN), (Language.IT, _IT))
}
