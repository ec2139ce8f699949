"""The words of facts in Italian and English, each with its class: one letter, over which the rules are patterns. The
other language's words count too where they are long enough to be nothing else."""

import unicodedata
from collections.abc import Iterator
from functools import cache

from turnkeep.blocks.calendars import notation

type Entry = tuple[str, object]
"""A class and a value: ("m", 3)."""

LONG_LETTERS = 4
"""Of a word that counts in the other language as well: "euro", "April", not "due" or "set"."""

_WORDS = {
    "it": {
        "L": "il l' lo del dell' the",
        "a": "la i gli le di d' della dello dei delle degli nel nella nell' nello nei nelle sul su per con in al_giorno "
        "giorno_di che d'imposta di_imposta fiscale solare circa mio mia esattamente è sia giorno_del ma",
        "F": "dal dall' a_partire_dal a_partire_dall' a_decorrere_dal",
        "f": "da dalla dalle dai dallo a_partire_da a_partire_dalla a_decorrere_da a_decorrere_dalla",
        "t": "a ad al all' alla allo alle ai",
        "U": "fino_a fino_al fino_all' fino_alla fino_ad sino_a sino_al sino_all'",
        "b": "tra fra", "&": "e ed", "q": "entro", "g": "fa or_sono addietro",
        "A": "dopo da_adesso da_oggi da_ora più_tardi successivamente", "B": "prima_di prima_del prima_dell' prima_della",
        ">": "prossimo prossima prossimi prossime venturo ventura successivo successiva successivi successive seguente "
        "seguenti entrante futuro futuri in_futuro che_viene",
        "<": "scorso scorsa scorsi scorse passato passata passati passate precedente precedenti ultimo ultima ultimi "
        "ultime",
        "=": "questo questa questi queste quest' corrente attuale in_corso",
        "H": "mezzo mezza mezz'", "S": "inizio inizi", "M": "metà", "E": "fine", "T": "resto rimanente",
        "l": "tutto tutta intero intera",
        "%": "percento per_cento", "P": "punti_percentuali punto_percentuale", "‰": "per_mille",
        "p": "virgola punto", "O": "su", "W": "lavorativi lavorativo feriali",
        "v": "art articolo articoli artt comma commi legge decreto dl dlgs dpr n nr num numero circolare risoluzione "
        "sentenza allegato modello mod quadro rigo codice capo titolo lettera pagina pag protocollo",
        "G": "più maggiore maggiori superiore superiori oltre sopra alto alta grande grandi >",
        "J": "meno minore minori inferiore inferiori sotto basso bassa piccolo piccola piccoli piccole <",
        "K": "o_uguale o_uguali o_pari", "X": "o_più", "Y": "o_meno", "N": "non", "Z": "almeno minimo", "V": "massimo",
    },
    "en": {
        "L": "the",
        "a": "of on for at about around approximately tax fiscal calendar year_of during a_total_of than is",
        "F": "", "f": "from since starting_from starting as_of", "t": "to through", "U": "until till up_to",
        "b": "between", "&": "and", "i": "in", "q": "within by", "g": "ago",
        "A": "after later from_now from_today", "B": "before earlier",
        ">": "next coming following upcoming", "<": "last past previous", "=": "this current",
        "H": "half", "S": "beginning start early", "M": "middle mid", "E": "end", "T": "rest remainder",
        "l": "whole entire all",
        "%": "percent per_cent pct", "P": "percentage_points percentage_point", "‰": "per_mille per_thousand",
        "p": "point", "O": "out_of", "W": "working business",
        "v": "article articles section sections law act paragraph no number page form chapter clause art",
        "G": "more greater over above higher larger exceeding >", "J": "less under below lower smaller fewer <",
        "K": "or_equal", "X": "or_more", "Y": "or_less or_fewer", "N": "not", "Z": "at_least minimum", "V": "at_most maximum",
    },
}  # fmt: skip
_VALUES: dict[str, dict[str, dict[str, object]]] = {
    "it": {
        "r": {"oggi odierna odierno in_giornata questo_giorno stamattina": 0, "domani giorno_dopo": 1, "ieri": -1,
              "giorno_successivo giorno_seguente": 1, "dopodomani posdomani": 2, "altroieri altro_ieri avantieri": -2,
              "l'altroieri l'altro_ieri": -2, "giorno_prima giorno_precedente": -1},
        "w": {"lunedì lun": 0, "martedì": 1, "mercoledì mer": 2, "giovedì gio": 3, "venerdì ven": 4, "sabato sab": 5,
              "domenica dom": 6},
        "u": {"giorno giorni giornata gg": (1, "D"), "settimana settimane": (1, "W"), "mese mesi": (1, "M"),
              "anno anni": (1, "Y"), "bimestre": (2, "M"), "trimestre trimestri": (3, "M"), "quadrimestre": (4, "M"),
              "semestre semestri": (6, "M"), "biennio": (2, "Y"), "triennio": (3, "Y"), "quinquennio": (5, "Y"),
              "decennio decenni": (10, "Y"), "secolo secoli": (100, "Y"), "ora ore h": (1, "TH"),
              "minuto minuti min": (1, "TM"), "secondi sec": (1, "TS")},
        "e": {"weekend week_end fine_settimana": (2, "E")},
        "s": {"primavera": 3, "estate": 6, "autunno": 9, "inverno": 12},
        "few": {"qualche alcuni alcune pochi poche diversi diverse vari varie": 3, "un_paio_di paio_di paio": 2},
        "d": {"dozzina dozzine": 12, "decina decine": 10, "ventina": 20, "trentina": 30, "cinquantina": 50,
              "centinaio centinaia": 100, "migliaio migliaia": 1000},
        "k": {"k": 1000, "g b": 10**9, "t bilione bilioni": 10**12, "trilione trilioni": 10**18},
        "C": {"cent cents centesimi": "EUR", "pence penny": "GBP"},
        "end": {"ultimo ultima ultimi ultime": -1, "penultimo penultima": -2, "terzultimo terzultima": -3,
                "quartultimo quartultima": -4},
    },
    "en": {
        "r": {"today tonight": 0, "tomorrow day_after": 1, "yesterday": -1, "day_after_tomorrow": 2,
              "day_before_yesterday": -2},
        "w": {"monday mon": 0, "tuesday tue tues": 1, "wednesday wed": 2, "thursday thu thurs": 3, "friday fri": 4,
              "saturday sat": 5, "sunday sun": 6},
        "u": {"day days": (1, "D"), "week weeks": (1, "W"), "fortnight": (2, "W"), "month months": (1, "M"),
              "year years": (1, "Y"), "quarter quarters": (3, "M"), "semester": (6, "M"), "decade decades": (10, "Y"),
              "century centuries": (100, "Y"), "hour hours h hr hrs": (1, "TH"), "minute minutes min": (1, "TM"),
              "seconds sec": (1, "TS")},
        "e": {"weekend weekends": (2, "E")},
        "s": {"summer": 6, "autumn": 9, "winter": 12},
        "few": {"few a_few several some": 3, "a_couple_of couple_of couple": 2},
        "d": {"dozen dozens": 12, "score": 20},
        "k": {"hundred hundreds": 100, "k thousands": 1000, "g": 10**9},
        "C": {"cent cents": "USD", "pence penny": "GBP"},
        "end": {"last": -1},
    },
}  # fmt: skip
_CURRENCIES = {
    "CAD": "cad cad$ c_$ ca$ dollari_canadesi canadian_dollars", "MXN": "mxn mxn$ pesos", "AUD": "aud aud$",
    "CHF": "chf franco franchi franchi_svizzeri swiss_francs francs", "JPY": "jpy yen ¥", "CNY": "cny yuan renminbi rmb",
    "ITL": "lira lire", "EUR": "euro euros", "USD": "dollaro dollari dollar dollars",
    "GBP": "sterlina sterline pound pounds", "SEK": "sek", "NOK": "nok",
    "DKK": "dkk", "PLN": "pln zloty", "RUB": "rub rublo rubli", "INR": "inr rupia rupie", "BRL": "brl reais",
    "KRW": "krw won", "TRY": "try", "CZK": "czk", "HUF": "huf fiorini", "RON": "ron",
}  # fmt: skip
_UNITS = {"km": "km chilometri chilometro kilometres kilometers", "kg": "kg chili chilogrammi", "m2": "mq m² m2 metri_quadri metri_quadrati",
          "m": "metri metro metres meters", "kWh": "kwh", "l": "litri litro litres liters"}  # fmt: skip


def folded(word: str) -> str:
    """Lower case without accents; a single letter keeps its own: "è" is no "e"."""
    word = word.casefold().replace("\u2019", "'")
    if len(word) == 1 or word.isascii():
        return word
    return "".join(letter for letter in unicodedata.normalize("NFKD", word) if not unicodedata.combining(letter))


@cache
def lexicon(language: str) -> dict[tuple[str, ...], Entry]:
    """By the folded words of a phrase."""
    own = "it" if language.casefold().startswith("it") else "en"
    other = "en" if own == "it" else "it"
    entries = [each for each in _entries(other) if len(each[0]) >= LONG_LETTERS] + _entries(own)
    return {tuple(map(folded, phrase.split("_"))): entry for phrase, entry in entries}


def phrases_from(known: dict[tuple[str, ...], Entry]) -> int:
    """The words of the longest phrase."""
    return max(map(len, known))


@cache
def _entries(language: str) -> list[tuple[str, Entry]]:
    writes = notation(language)
    found: list[tuple[str, Entry]] = [
        (word, ("c", code)) for word, code in writes.currencies.items() if not word.isalpha() or word == code.lower()
    ]
    found += [(word, ("m", min(months))) for word, months in writes.months.items()]
    found += [(word, ("k", int(max(sizes)))) for word, sizes in writes.scales.items()]
    found += [(word, ("c", code)) for code, words in _CURRENCIES.items() for word in words.split()]
    found += [(word, ("Q", unit)) for unit, words in _UNITS.items() for word in words.split()]
    found += [(word, (kind, None)) for kind, words in _WORDS[language].items() for word in words.split()]
    found += list(_valued(language))
    return found


def _valued(language: str) -> Iterator[tuple[str, Entry]]:
    for kind, table in _VALUES[language].items():
        for words, value in table.items():
            if kind != "end":
                yield from ((word, (kind, value)) for word in words.split())
    yield from (("mar", ("w", 1)),) if language == "it" else ()


def from_the_end(word: str, language: str) -> int:
    """-2 of "penultimo", 0 of any other word."""
    table = _VALUES["it" if language.startswith("it") else "en"]["end"]
    return next((int(str(value)) for words, value in table.items() if folded(word) in words.split()), 0)
