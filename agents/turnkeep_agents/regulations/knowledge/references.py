"""Norms as lawyers cite them, in Italian and English: "art. 3, comma 2, L. 104/1992", "Legge 5 febbraio 1992, n. 104",
"artt. 2118 e 2119 c.c.", "Article 18 of Law 300/1970". Paragraphs and letters are ignored."""

import re
from bisect import bisect
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache

_KINDS = {
    "D.Lgs.": r"d\.?\s?lgs\.?|d\.?\s?leg\.?vo|d\.?\s?l\.?vo|decreto\s+legislativo|legislative\s+decree",
    "D.L.": r"d\.\s?l\.|dl|decreto[-\s]legge|decree[-\s]law|law[-\s]decree",
    "D.P.R.": r"d\.?p\.?r\.?|decreto\s+del\s+presidente\s+della\s+repubblica|presidential\s+decree",
    "D.P.C.M.": r"d\.?p\.?c\.?m\.?",
    "D.M.": r"d\.?m\.?|decreto\s+ministeriale|ministerial\s+decree",
    "R.D.": r"r\.?d\.?|regio\s+decreto|royal\s+decree",
    "L.": r"legge|l\.?|law",
}
_NAMES = {
    "Codice di procedura civile": r"c\.\s?p\.\s?c\.|(?<=\d )cpc|cod\.\s?proc\.\s?civ\.|codice\s+di\s+procedura\s+civile"
    r"|code\s+of\s+civil\s+procedure",
    "Codice di procedura penale": r"c\.\s?p\.\s?p\.|(?<=\d )cpp|cod\.\s?proc\.\s?pen\.|codice\s+di\s+procedura\s+penale"
    r"|code\s+of\s+criminal\s+procedure",
    "Codice civile": r"c\.\s?c\.|(?<=\d )cc|cod\.\s?civ\.|codice\s+civile|civil\s+code",
    "Codice penale": r"c\.\s?p\.|(?<=\d )cp|cod\.\s?pen\.|codice\s+penale|(?:criminal|penal)\s+code",
    # Not "la costituzione di una società", "what does it cost."
    "Costituzione": r"(?-i:Costituzione|Constitution|Cost\.)|(?<=\d )cost\.|(?<=\d della )costituzione",
    "D.P.R. 917/1986": r"t\.?u\.?i\.?r\.?|testo\s+unico\s+delle\s+imposte\s+sui\s+redditi",
    "D.P.R. 633/1972": r"(?:decreto|testo\s+unico)\s+iva|vat\s+decree",
    "L. 300/1970": r"statuto\s+dei\s+lavoratori|st\.\s?lav\.|workers['\u2019]?\s+statute",
    "L. 212/2000": r"statuto\s+(?:dei\s+diritti\s+)?del\s+contribuente|taxpayers?['\u2019]?s?\s+"
    r"(?:charter|statute|bill\s+of\s+rights)",
    "D.Lgs. 196/2003": r"codice\s+(?:della\s+)?privacy|privacy\s+code",
    "Reg. 2016/679": r"gdpr|rgpd",
}
# "Regolamento (UE) 2016/679", "direttiva 2003/88/CE", "Regulation (EC) No 883/2004"
_EUROPEAN = (
    r"(?P<eu>reg(?:olamento|ulation|\.)|dir(?:ettiva|ective|\.))\s*(?:europe[oa]\s+)?(?:\(?(?:ue|eu|ce|ec)\)?\s*)?(?:n[.o]{0,2}\s*)?"
    r"(?P<one>\d{2,4})/(?P<other>\d{2,4})"
)
_SUFFIX = (
    r"(?:[-\s]?(?:bis|ter|quater|quinquies|sexies|septies|octies|nonies|novies|decies|undecies|duodecies|terdecies)"
    r"\.?\d?\b)?"
)
_MONTH = r"(?:gen|feb|mar|apr|mag|giu|lug|ago|set|ott|nov|dic|jan|may|jun|jul|aug|sep|oct|dec)[^\W\d_]{0,7}\.?"
_NUMBER = re.compile(rf"(?P<to>[\u2013-]\s*|\b(?:a|to)\s+)?(?P<name>\d+{_SUFFIX})", re.IGNORECASE)
MOST_IN_RANGE = 100
BRIDGE_CHARACTERS, TOO_FAR = 90, "\0"
_THIS_CENTURY = 40  # "92" is 1992, "03" is 2003


@dataclass(frozen=True)
class Reference:
    """A norm that a text names: `law` as "L. 300/1970", "L. 104" without its year, or "" for a lone article; `article`
    as "18" or "2-bis". `start` and `end` are its position."""

    law: str
    article: str = ""
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    def is_in(self, known: Collection["Reference"]) -> bool:
        """Return whether it is known: an article only if exactly it is known; a law alone if any part of it is."""
        same = (one for one in known if not self.law or self.law == one.law or one.law.startswith(f"{self.law}/"))
        return any(self.article in ("", one.article) for one in same)


def references(text: str) -> list[Reference]:
    """Return norms in text order; an article and its law are one norm."""
    laws = list(_laws(text))
    found: list[Reference] = []
    taken: set[int] = set()
    for mention in _patterns()["article"].finditer(text):
        law = _law_of(text, mention, laws, found)
        start, end = mention.span()
        if law is not None:
            taken.add(law.start)
            start, end = min(start, law.start), max(end, law.end)
        found += [Reference(law.law if law else "", article, start, end) for article in _numbers(mention)]
    found += [law for law in laws if law.start not in taken]
    return sorted(found, key=lambda one: one.start)


def _laws(text: str) -> Iterator[Reference]:
    for found in _patterns()["law"].finditer(text):
        if found["eu"]:
            newest_first = sorted((int(found["one"]), int(found["other"])), reverse=True)
            name = f"{found['eu'][:3].capitalize()}. {'/'.join(map(str, newest_first))}"
            yield Reference(name, "", found.start(), found.end())
            continue
        kind = next(name for name, value in found.groupdict().items() if value and name[0] in "kn")
        if kind[0] == "n":
            yield Reference(list(_NAMES)[int(kind[1:])], "", found.start(), found.end())
            continue
        year = found["dated"] or found["year"] or ""
        if not year and text[max(found.start() - 4, 0) : found.start()].endswith(
            ("per ", "by ")
        ):  # "per legge 180 giorni", "by law 30 days"
            continue
        if len(year) == 2:
            year = f"{'19' if int(year) >= _THIS_CENTURY else '20'}{year}"
        name = f"{list(_KINDS)[int(kind[1:])]} {int(found['count'])}"
        yield Reference(f"{name}/{year}" if year else name, "", found.start(), found.end())


def _law_of(text: str, mention: re.Match[str], laws: list[Reference], before: list[Reference]) -> Reference | None:
    """Return the law after an article ("art. 18 della L. 300/1970"), else before it ("L. 300/1970, art. 18")."""
    at = bisect(laws, mention.start(), key=lambda law: law.start)
    behind = laws[at : at + 1]
    if behind and _patterns()["behind"].fullmatch(_between(text, mention.end(), behind[0].start)):
        return behind[0]
    # "L. 300/1970, artt. 4 e 18, art. 19": preceding articles count with their law.
    for one in (*before[-1:], *laws[max(at - 1, 0) : at]):
        if one.law and _patterns()["ahead"].fullmatch(_between(text, one.end, mention.start())):
            return one
    return None


def _between(text: str, start: int, end: int) -> str:
    """Return the text between an article and a law that are close to each other."""
    return text[start:end] if 0 <= end - start <= BRIDGE_CHARACTERS else TOO_FAR


def _numbers(mention: re.Match[str]) -> list[str]:
    """Return the articles of a list, and all of a range, such as "2103-2105"."""
    several = mention["several"] or mention["one"]
    found: list[str] = []
    for one in _NUMBER.finditer(several):
        name = "-".join(re.split(r"[-\s]+", one["name"].lower()))
        first, last = (found[-1] if found else "", name)
        if one["to"] and first.isdecimal() and last.isdecimal() and int(last) - int(first) < MOST_IN_RANGE:
            found += map(str, range(int(first) + 1, int(last)))
        found.append(name)
    return found


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    kinds = "|".join(f"(?P<k{at}>{form})" for at, form in enumerate(_KINDS.values()))
    names = "|".join(f"(?P<n{at}>{form})" for at, form in enumerate(_NAMES.values()))
    figures = r"\d{1,2}[./-]\d{1,2}[./-]"
    date = rf"(?:\d{{1,2}}°?\s+{_MONTH}\s+|{figures})"
    number = (
        rf"\s*(?:,?\s*(?:del|of|dated)?\s*{date}(?P<dated>\d{{4}}|\d{{2}}(?=[\s,]+n))\s*,?)?"
        r"\s*(?:n\.?[°r]?|nr\.|no\.?|num\.|numero|number)?\s*"
        rf"(?!{figures}\d)(?P<count>\d{{1,4}})"
        rf"(?:\s*(?:/|\bdel(?:l['\u2019]anno)?\b|\bof\b)\s*(?:{date})?['\u2019]?(?P<year>\d{{4}}|\d{{2}})|(?!\s+{_MONTH}\s+\d{{4}}))(?![\d/])"
    )
    law = rf"(?<![\w.])(?:(?:{kinds}){number}|(?:{names})(?!\w)|{_EUROPEAN})"
    one = rf"\d{{1,4}}{_SUFFIX}"
    article = (
        rf"\b(?:(?:artt\.?|articoli|articles|arts\.)\s*(?:da\s+)?(?P<several>{one}(?:(?:\s*[,\u2013-]\s*|\s+(?:e|ed|o|a|and|or|to)\s+){one})*)"
        rf"|art(?:icolo|icle|\.)?\s*(?P<one>{one}))(?![\d/])"
    )
    words = "commi?|comma|co|c|lett(?:era|ere|er)?|par(?:agraph|agraphs|agrafo)?|n|num|nn|primo|secondo|terzo|quarto"
    words += "|quinto|sesto|da|dal|a|to|from|del|della|dello|dell|dei|di|cui|al|alla|all|of|the|in|nel|nella"
    words += r"|tariffa|parte|prima|seconda|allegat[ao]|bis|ter|quater|ss|seguenti|[a-z](?=\))"
    fill = rf"[\s,;()'\u2019°.\u2013-]|\d+|\b(?:{words})\b"
    another = r"(?:(?:l|d?all|dell)['\u2019]|gli\s)?(?:artt?\.?\s*|articol[oi]\s*|articles?\s*)?\d+"
    behind = rf"(?:{fill}|\b(?:e|ed|o|and|or)\s+{another})*"
    ahead = r"[\s,:;(\u2013-]*(?:(?:e|ed|and)\s+)?(?:(?:l|all|dall|nell)['\u2019]|gli\s|agli\s|its\s|in\s|at\s)?\s*"
    return {
        name: re.compile(form, re.IGNORECASE)
        for name, form in (("law", law), ("article", article), ("behind", behind), ("ahead", ahead))
    }
