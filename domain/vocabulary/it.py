"""Italian words outside of the profile, by what they do in a question."""

from collections.abc import Mapping
from typing import Final

from domain.vocabulary.roles import Role

# One word per line would hide the table.
# fmt: off
# Each key says why its words leave the number as it is.
HARMLESS: Final[Mapping[str, tuple[str, ...]]] = {
    "articles, alone and joined": (
        "agli", "ai", "al", "all", "alla", "alle", "allo", "c", "d", "dagli", "dai", "dal", "dall", "dalla", "dalle",
        "dallo", "degli", "dei", "del", "dell", "della", "delle", "dello", "gli", "i", "il", "l", "la", "le", "lo",
        "negli", "nei", "nel", "nell", "nella", "nelle", "nello", "sugli", "sui", "sul", "sull", "sulla", "sulle",
        "sullo", "un", "una", "uno",
    ),
    "question words: they ask for the number": (
        "che", "che cosa", "come", "cosa", "qual", "quale", "quali",
    ),
    "auxiliaries and copulas": (
        "abbiamo", "aveva", "avevano", "avuto", "e'", "era", "erano", "fu", "furono", "ha", "hanno", "ho", "possiamo",
        "potrebbe", "potresti", "puoi", "può", "saranno", "sarà", "sia", "sono", "stata", "state", "stati", "stato",
        "vorrei", "vorremmo", "è",
    ),
    "verbs of having: the number is or was reached": (
        "ammonta", "ammontano", "ammontava", "conseguito", "fatto", "generati", "generato", "ottenuto", "raggiunto",
        "realizzato", "registrati", "registrato", "risulta", "risultano", "speso",
    ),
    "prepositions and conjunctions: they join what is named": (
        "a", "ad", "anche", "circa", "con", "da", "di", "durante", "e", "ed", "fra", "in", "o", "oppure", "per",
        "poi", "riguardo", "su", "tra", "verso",
    ),
    "comparing words: both values are shown, and their difference": (
        "confronta", "confrontare", "confronto", "contro", "paragone", "rispetto",
    ),
    "politeness": (
        "buongiorno", "ciao", "cortesemente", "favore", "gentilmente", "grazie", "per favore", "per piacere", "prego",
        "salve", "scusa", "scusi",
    ),
    "the one who asks, and asking itself": (
        "ci", "interessa", "mi", "mia", "mio", "noi", "nostra", "nostre", "nostri", "nostro", "sapere", "serve",
        "servirebbe", "vogliamo", "voglio",
    ),
    "verbs of showing": (
        "calcola", "cerca", "dammi", "dati", "dato", "dimmi", "dire", "elenca", "fornire", "fornisci", "indica",
        "indicami", "mostra", "mostrami", "mostrare", "riporta", "riportami", "trova", "vedere",
    ),
    "reports and figures in general: where facts come from": (
        "annuale", "annuo", "bilanci", "bilancio", "cifra", "cifre", "documento", "importi", "importo", "in base a",
        "livello", "numeri", "numero", "rapporto annuale", "relazione", "relazione annuale", "report", "riportati",
        "riportato", "risultati", "saldo", "secondo", "valore", "valori",
    ),
    "time words around a named period": (
        "anni", "anno", "anno fiscale", "chiuso", "data", "esercizi", "esercizio", "esercizio fiscale", "fine",
        "fine anno", "intero", "periodo",
    ),
    "the company itself: the entity is named or assumed in the banner": (
        "azienda", "compagnia", "ditta", "impresa", "la nostra azienda", "societa", "società",
    ),
}

ROLES: Final[Mapping[Role, tuple[str, ...]]] = {
    Role.TOTAL: (
        "complessiva", "complessivamente", "complessive", "complessivi", "complessivo", "in totale", "in tutto",
        "somma", "totale", "totali",
    ),
    Role.EACH: (
        "ciascuna", "ciascuno", "entrambe", "entrambi", "rispettivamente", "rispettive", "rispettivi",
        "separatamente",
    ),
    Role.CHANNEL: (
        "attraverso", "canale", "canali", "mediante", "tramite",
    ),
    Role.BEHIND_ENTITY: (
        "entità", "territorio",
    ),
    Role.CHANGE: (
        "aumentare", "aumentata", "aumentate", "aumentati", "aumentato", "aumento", "calare", "calata", "calate",
        "calati", "calato", "calo", "cambiamento", "cambiata", "cambiate", "cambiati", "cambiato", "crescere",
        "cresciuta", "cresciute", "cresciuti", "cresciuto", "crollo", "differenza", "diminuire", "diminuita",
        "diminuite", "diminuiti", "diminuito", "diminuzione", "incremento", "miglioramento", "migliorato",
        "peggioramento", "peggiorato", "ridotta", "ridotto", "riduzione", "salita", "salito", "scendere", "scesa",
        "scese", "scesi", "sceso", "scostamento", "variato", "variazione", "variazioni",
    ),
    Role.NARRATIVE_CUE: (
        "a cosa è dovuto", "analisi", "analizza", "analizzare", "andamento", "causa", "causato", "cause", "come mai",
        "come si spiega", "come va", "come valuti", "come vanno", "come vedi", "come è cambiato", "commenta",
        "commento", "cosa è successo", "descrivere", "descrivi", "descrizione", "dovuta", "dovuto", "fattore",
        "fattori", "motivazione", "motivi", "motivo", "panoramica", "perche", "perché", "ragione", "ragioni",
        "riassumi", "riassunto", "riepilogo", "sintesi", "spiega", "spiegami", "spiegare", "spiegazione", "strategia",
        "tendenza", "tendenze",
    ),
    Role.EFFECT_CUE: (
        "effetti", "effetto", "impatto", "influenza", "influito",
    ),
    Role.LEGAL_FORM: (
        "s p a", "s r l",
    ),
    Role.NUMERIC_CUE: (
        "a quanto", "quant", "quanta", "quante", "quanti", "quanto",
    ),
    Role.CONCEPT_CUE: (
        "che significa", "come si calcola", "come viene calcolato", "concetto di", "cosa si intende",
        "cosa significa", "cosa vuol dire", "definisci", "definizione", "si intende per", "significa", "significato",
    ),
    Role.WEAK_CONCEPT_CUE: (
        "che cos è", "che cosa sono", "che cosa è", "cos è", "cosa sono", "cosa è",
    ),
    Role.ADJUSTED: (
        "al lordo", "al netto", "ante imposte", "attribuibile", "base", "capogruppo", "comparabile", "consolidata",
        "consolidati", "consolidato", "corrente", "differito", "diluito", "dopo le imposte", "individuale", "lorda",
        "lorde", "lordi", "lordo", "netta", "nette", "netti", "netto", "nominale", "normalizzato", "operativa",
        "operativo", "ordinaria", "ordinario", "organica", "organico", "prima delle imposte", "pro forma", "reale",
        "rettificata", "rettificati", "rettificato", "ricorrente", "ricorrenti", "sottostante", "straordinari",
        "straordinario",
    ),
    Role.AVERAGE: (
        "in media", "medi", "media", "mediamente", "mediana", "medie", "medio", "ponderata", "ponderato",
    ),
    Role.BREAKDOWN: (
        "composizione", "dettaglio", "distribuzione", "giornaliero", "mensile", "mensili", "ogni", "per area",
        "per canale", "per mese", "per paese", "per prodotto", "per regione", "per segmento", "per trimestre",
        "ripartizione", "scomposizione", "settimanale", "storico", "suddivisione", "suddiviso", "trimestrale",
        "trimestrali",
    ),
    Role.BUDGET: (
        "attesa", "attesi", "atteso", "avrebbe", "avrebbe dovuto essere", "avrebbe potuto essere", "avrebbero",
        "budget", "dovrebbe", "dovrebbero", "futuro", "obiettivi", "obiettivo", "pianificato", "piano", "preventivo",
        "previsione", "previsioni", "prevista", "previsti", "previsto", "proiezione", "proiezioni",
        "sarebbe dovuto essere", "sarebbe potuto essere", "scenario", "stima", "stimati", "stimato", "stime",
    ),
    Role.CONDITION: (
        "nel caso", "qualora", "se", "supponendo",
    ),
    Role.CUMULATIVE: (
        "accumulato", "cumulata", "cumulati", "cumulativo", "cumulato", "da inizio anno", "fino", "finora", "mobile",
        "progressivo", "ultimi dodici mesi",
    ),
    Role.CURRENCY: (
        "cambio", "convertito", "dollari", "dollaro", "franchi", "migliaia", "miliardi", "miliardo", "milione",
        "milioni", "percentuali", "persone", "punti percentuali", "sterline", "unità", "valuta", "yen", "yuan",
    ),
    Role.EXCLUSION: (
        "ad eccezione", "compresa", "compresi", "compreso", "eccetto", "esclude", "esclusa", "escluse", "esclusi",
        "escluso", "includendo", "inclusa", "incluse", "inclusi", "incluso", "meno", "nessun", "nessuno", "non",
        "oltre", "piu", "più", "salvo", "senza", "solamente", "solo", "soltanto", "tranne",
    ),
    Role.GROWTH: (
        "a a", "anno su anno", "crescita", "su base annua", "tasso di crescita", "tasso di variazione",
        "variazione percentuale",
    ),
    Role.LATEST: (
        "adesso", "attuale", "attualmente", "fa", "giorno", "ieri", "inizio", "mese", "mesi", "oggi", "ora",
        "passato", "precedente", "precedenti", "prima", "primo", "prossima", "prossimo", "recente", "recenti",
        "scorsa", "scorso", "secondo semestre", "semestre", "settimana", "successivo", "terzo", "trimestre", "ultima",
        "ultime", "ultimi", "ultimo",
    ),
    Role.PART: (
        "altra", "altre", "altri", "altro", "area", "attività", "cliente", "clienti", "controllata", "controllate",
        "diretta", "diretto", "divisione", "divisioni", "estera", "estere", "esteri", "estero", "filiale", "filiali",
        "interna", "internazionale", "interno", "linea", "marchio", "mercati", "mercato", "nazionale", "negozi",
        "negozio", "nuova", "nuovi", "nuovo", "parte", "principale", "principali", "prodotti", "prodotto", "regione",
        "reparto", "sede", "segmenti", "segmento", "settore", "stabilimento", "vecchio",
    ),
    Role.PER_UNIT: (
        "a testa", "per abitante", "per azione", "per cliente", "per dipendente", "per negozio", "pro capite",
        "unitaria", "unitario",
    ),
    Role.RANKING: (
        "almeno", "alta", "alto", "bassa", "basso", "classifica", "concorrente", "concorrenti", "graduatoria",
        "inferiore", "maggior", "maggiore", "maggiori", "massima", "massimo", "meno di", "miglior", "migliore",
        "migliori", "minima", "minimo", "minore", "peggior", "peggiore", "più alto", "più basso", "più di", "supera",
        "superato", "superiore", "tutte", "tutti",
    ),
    Role.RATIO: (
        "come percentuale", "contributo", "in percentuale", "incidenza", "indice", "margine", "margini", "per cento",
        "percento", "percentuale", "peso", "proporzione", "quota", "quota di mercato", "quote", "rapporto",
        "rendimento", "tasso",
    ),
    Role.REFERENCE: (
        "ciò", "essa", "esse", "essi", "esso", "lei", "loro", "lui", "medesimo", "quel", "quell", "quella", "quelle",
        "quelli", "quello", "quest", "questa", "queste", "questi", "questo", "stessa", "stesse", "stessi", "stesso",
        "sua", "sue", "suo", "suoi", "tale", "tali",
    ),
    Role.RESTATED: (
        "aggiornato", "originale", "originario", "riclassificato", "rideterminato", "riesposto", "rivisto",
    ),
    Role.OTHER_QUESTION: (
        "chi", "dove", "quand", "quando",
    ),
}
# fmt: on
