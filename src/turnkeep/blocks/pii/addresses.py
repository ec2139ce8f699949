"""Where somebody lives: a street with its number, in the order of several countries, and what follows it."""

import re
from collections.abc import Iterator

from turnkeep.blocks.pii.findings import Finding

_CAP = r"[^\W\d_a-zà-öø-ÿ][\w'.-]*"
_OF = r"(?:d[aeiou]|del|dell'|della|dei|degli|delle|dos|das|des|la|le|los|las|van|von|der|den|el|u|e|y|al|of)"
_NAME = rf"(?:{_CAP}(?:(?:[ ]{_OF}){{0,2}}[ ]{_CAP}){{0,4}})"
_NUMBER = r"\d{1,5}(?:[ ]?[-/][ ]?\d{1,4})?(?:[ ]?(?:bis|ter|/?[a-zA-Z])\b)?"
_UNIT = r"(?:(?i:apt|apartment|suite)|Ste|Unit|Flat|Floor|Room|interno|int|scala|piano|Box|Bldg)\b\.?[ ]?#?[ ]?\w{1,6}"
_ITALIAN = (
    r"(?:via|v\.le|viale|vicolo|piazza|p\.?zza|p\.za|piazzale|p\.le|corso|c\.so|largo|strada(?: provinciale"
    r"| statale)?|contrada"
    r"|c\.da|località|loc\.|frazione|fraz\.|borgo|lungomare|lungo(?:tevere|arno|po)|salita|traversa|calata|rione|vico)"
)
_FOREIGN = (
    r"(?:rue|avenue|av\.|avda\.?|boulevard|bd\.?|place|allée|chemin|impasse|quai|calle|c/|avenida|plaza|paseo|pza\.?"
    r"|camino|carrer|rua|travessa"
    r"|praça|largo|ul\.|ulica|ulice|al\.|pl\.|os\.|nám\.|náměstí|sokak|cadde|jalan|jl\.|strada|str\.)"
)
_ENGLISH = (
    r"(?:street|str|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|way|court|ct|place|pl|square|squares|close"
    r"|crescent|terrace|grove"
    r"|gardens|hill|row|walk|parade|parkway|pkwy|highway|hwy|circle|cir|trail|alley|mews|quay|broadway|esplanade"
    r"|circuit)"
)
_ENDINGS = (
    r"[\w.-]*(?:stra(?:ß|ss)e|str\.|gasse|weg|platz|allee|ring|damm|ufer|gata|gatan|gate|gade|vej|veien|vegen|vägen"
    r"|väg|allé|stræde"
    r"|tie|katu|kuja|polku|straat|laan|dijk|kade|gracht|plein|singel|hof|hove|steeg|braut|stígur|vegur)"
)
_MONTHS = r"(?!(?i:jan|feb|mar|apr|mag|may|giu|jun|lug|jul|ago|aug|set|sep|ott|oct|nov|dic|dec)\w*\b)"
_NO_ACRONYM = r"(?![A-Z]{2,5}\b(?![ ]+[\dA-Z]))"  # "via PEC", but "via XX Settembre"
_NO_LAW = r"(?!(?:Article|Art|Section|Law|Legge|Decree|Legislative|Decreto|Comma)\b)"  # "March 2015 Article 18"
_FORMS = (
    # "via Garibaldi 12/A", "C.so Vittorio Emanuele II, n. 5", "via XX Settembre"
    rf"(?i:{_ITALIAN})[ ]{_NO_ACRONYM}(?:\d{{1,2}}[ ])?"
    rf"(?:(?:d[ei]|del|della|dei|degli|delle|dell'|al|alla|san|santa)[ ]?)?{_NAME}"
    rf"(?:,?[ ](?:n\.?[ °]?|nr\.?[ ]?|civico[ ])?{_NUMBER}|,?[ ]snc)?",
    # "via roma 12"
    r"(?<!per[ ])(?:via|viale|piazza|corso)[ ][a-zà-ù]{3,},?[ ](?:n\.?[ ]?)?\d{1,3}(?:/\w)?\b(?![ ](?:giorni"
    r"|ann|mes|ore|day|%|€|euro))",
    # "14 rue de la Paix", "C/ Señores Curas 88", "ul. Miła 53"
    rf"(?:\d{{1,5}},?[ ]){{0,2}}(?i:{_FOREIGN})[ ](?:(?:d[eu]|des|de la|del|da|do"
    rf"|dos)[ ])?{_NAME}(?:,?[ ](?:nº[ ]?)?{_NUMBER})?",
    # "221B Baker Street", "3485 615 Benedum Drive", "124 67 Devon Street West"
    rf"\d{{1,5}}[A-Za-z]?,?[ ](?:\d{{1,5}}[ ])?(?:{_CAP}[ ]){{1,4}}(?i:{_ENGLISH})\b\.?(?:[ ](?:North|South|East"
    rf"|West|[NSEW]\b))?",
    # "25615 Tawastintie 72", "Lindenstraße 5", "Magasinsgatan 7"
    rf"(?:\d{{1,5}}[ ]){{0,2}}(?:{_CAP}[ ]){{0,2}}[^\W\d_a-z]{_ENDINGS}[ ]{_NUMBER}",
    # "Erzsébet tér 19.", "808 Kálmán Imre u. 12."
    rf"(?:\d{{1,5}}[ ])?{_NAME}[ ](?:u\.|utca|tér|út|útja|körút|sor|cesta|ulica|trg|sokak|cad\.|sok\.)[ ]{_NUMBER}\.?",
    # "641 Dašická 688", "19902 Dobrovského 1394"
    rf"\d{{2,5}}[ ]{_MONTHS}{_NO_LAW}{_NAME}[ ]\d{{1,4}}\b(?![.,]\d|[ ]?[%€$])",
    # "3911 fourth avenue"
    r"\d{1,5}[ ](?:\d{1,5}[ ])?(?!km|miles?\b)(?:[a-z]+[ ]){1,2}(?:street|avenue|road|boulevard|blvd)\b",
    # "USS Mahler\nFPO AA 70489"
    rf"(?:USN?[SV]|USNS|USCGC)[ ]{_CAP}(?=\n[AFD]PO)|[AFD]PO[ ]A[AEP][ ]\d{{5}}",
    # "PSC 1437, Box 3833", "P.O. Box 12", "casella postale 5"
    r"(?:PSC|Unit|CMR)[ ]\d{1,5},?[ ]Box[ ]\d{1,5}|P\.?[ ]?O\.?[ ]?Box[ ]\d{1,6}|(?i:casella postale)[ ]\d{1,5}",
)
_STREET = re.compile(rf"(?<![\w.,/-])(?:{'|'.join(_FORMS)})")
_UNNUMBERED = re.compile(rf"(?<![\w.,/-])(?:{_FORMS[0]}|{_FORMS[2]})")
_TAIL = re.compile(
    rf"(?:[ ]*,?[ \n]*(?:-[ ])?{_UNIT}\.?)?"
    rf"(?:(?:[ ]*[,;\n][ ,\n]*|[ ]-[ ]|[ ](?=\d{{4,5}}\b)|[ ](?=[A-Z-]{{3,}}\b))"
    rf"(?:{_UNIT}|\d{{4,6}}(?:-\d{{3,4}})?(?:[ ]{_CAP}(?:(?:[ ]{_OF}){{0,2}}[ ]{_CAP}){{0,3}})?"
    rf"|(?!\w+:){_CAP}(?:(?:[ ]{_OF}){{0,2}}[ ]{_CAP}){{0,3}}|[a-z]{{2,12}}(?=,)"
    rf"|[A-Za-z]{{2,3}}(?=[, \n]{{1,4}}\d{{4,5}}))"
    rf"(?:[ ]\(\w[\w ]{{1,20}}\))?(?:[ ]\d{{4,6}}(?:-\d{{3,4}})?)?){{0,5}}"
)
_POSTCODE = re.compile(
    rf"(?<![\w.,/-])(\d{{5}}[ ]{_CAP}(?:[ ]{_CAP}){{0,2}}[ ]\([A-Z]{{2}}\)"  # "20121 Milano (MI)"
    r"|[A-Z]{1,2}\d[A-Z\d]?[ ]\d[A-Z]{2}\b"  # "SW1A 1AA"
    rf"|{_UNIT})"
)
_LAST_LINE = re.compile(
    rf"(?m)^\W*(?!Art|Cap|Legge|Section|Chapter|Page|Pag|Table|Figure|No\b|N\.)({_CAP}(?:[ ]{_CAP}){{0,2}}[ ](?!19"
    rf"|20)\d{{4,6}}(?:-\d{{3,4}})?)$"
)  # "Czech Republic 56655" on a line of its own
_LIVES = re.compile(
    r"\b(?:lives?|living|located|office(?: is)?|meet(?: me| you)?|address(?: is)?|drops you off|abit[oai]|vive"
    r"|residente|domiciliat[oa]|"
    rf"sede(?: legale)?|indirizzo)(?::|[ ](?:on|at|in|a|to|è"
    rf"|the north side of)){{1,2}}[ ]((?:\d{{1,5}}[ ])?{_NAME}[ ]{_NUMBER})"
)  # "Trivo lives on Grössgstötten 50"
_NUMBERED = re.compile(r"\d")
_ZIP = re.compile(
    r"\b(?:zip|zip code|postcode|postal code|post code|cap|c\.a\.p\.)[ ]?(?:is|è|code|:|=|-"
    r"|)[ ]{0,2}(\d{3,6}(?:[ -]\d{2,4})?(?:[ ][A-Z]{2})?)\b",
    re.I,
)


def addresses(text: str) -> Iterator[Finding]:
    """ "via Garibaldi 12, 20121 Milano (MI)", "221B Baker Street", "20121 Milano (MI)", "ZIP: 8592"; not "Milano"."""
    done = 0
    for at in _STREET.finditer(text):
        if at.start() < done:
            continue
        tail = _TAIL.match(text, at.end())
        done = tail.end() if tail and _NUMBERED.search(at[0]) else at.end()
        yield _finding(text, at.start(), done)
    for pattern in (_POSTCODE, _LAST_LINE, _LIVES, _ZIP):
        for at in pattern.finditer(text):
            yield _finding(text, at.start(1), at.end(1))


def streets(text: str) -> Iterator[Finding]:
    """The same for a text without digits: "via Garibaldi"."""
    for at in _UNNUMBERED.finditer(text):
        yield _finding(text, at.start(), at.end())


def _finding(text: str, start: int, end: int) -> Finding:
    spelling = text[start:end].rstrip(" \n,;.-")
    return Finding("ADDRESS", start, start + len(spelling), " ".join(re.sub(r"[^\w/]", " ", spelling.lower()).split()))
