"""Words that say nothing about what a text is about; with accents folded, as texts are compared.

Chinese has none here: its pairs of characters weigh rare against common ones well enough.
"""

from typing import Final

from services.narrative.languages import Language

_EN: Final = """
a about above after again against all am an and any are as at be because been before being below between both but by
can could did do does doing down during each few for from further had has have having he her here hers him his how i
if in into is it its just me more most my no nor not now of off on once only or other our ours out over own same she
should so some such than that the their theirs them then there these they this those through to too under until up us
very was we were what when where which while who whom why will with would you your yours s t d ll m re ve
"""
_IT: Final = """
a ad agli ai al alla alle allo anche ancora avere aveva avevano c che chi ci cio co coi col come con contro cosa cui d
da dagli dai dal dall dalla dalle dallo degli dei del dell della delle dello dentro di dopo dove e ed era erano essere
fra fu furono gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me mi mia mie miei mio ne negli nei nel
nell nella nelle nello no noi non nostra nostre nostri nostro o ogni per perche piu poi quale quali quando quanta
quante quanti quanto quella quelle quelli quello questa queste questi questo se sei si sia siamo siete sono sta stata
state stati stato su sua sue sugli sui sul sull sulla sulle sullo suo suoi tra tu tua tue tuo tuoi tutti tutto un una
uno vi voi
"""

STOP_WORDS: Final[dict[Language, frozenset[str]]] = {
    Language.EN: frozenset(_EN.split()),
    Language.IT: frozenset(_IT.split()),
    Language.ZH: frozenset(_EN.split()),  # for the English words inside a Chinese text
}
VOTING_WORDS: Final[dict[Language, frozenset[str]]] = {
    Language.EN: frozenset(_EN.split()) - frozenset(_IT.split()),
    Language.IT: frozenset(_IT.split()) - frozenset(_EN.split()),
}
"""Words that only one of the two languages is built with."""
