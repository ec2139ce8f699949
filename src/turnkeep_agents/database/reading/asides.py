"""What stands in a question beside what it asks: whom it is for, why somebody wants to know, how he feels about it. The
words of it that nothing answers to are told; what the schema knows of it still counts."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from turnkeep_agents.database.reading.words.vocabulary import ARTICLES, PREPOSITIONS
from turnkeep.blocks.grammar import word_class

_QUESTION = re.compile(
    r"\b(?:how (?:many|much|long|often)|which|what|who|whose|when|where|list|show|count|(?:the )?(?:total )?number of"
    r"|(?:the )?(?:total|average))\b",
    re.IGNORECASE,
)
_NARROWS = re.compile(r"\s*(?:of|among|from|in|at|with|without|between|during|by|on)\b", re.IGNORECASE)
_SPEAKER = r"(?:i|me|my|we|our|you|your|he|she|they|someone|somebody|everyone|everybody)"
_BREAK = r"(?:[,;:.!?)]|\s-)\s*"
_HEARD = re.compile(rf"{_BREAK}$|\baside\W*$|\b{_SPEAKER}\b", re.IGNORECASE)
_OCCASIONS = (
    "meeting|presentation|report|review|audit|slides?|deck|talk|call|briefing|memo|newsletter|speech|summary|planning"
    "|forecast|minutes|records|files?|statistics|stats|paperwork|spreadsheet|handover|interview|conference|workshop"
    "|pitch|discussion|debate|quiz|bet|dashboard|agenda|article|application|appraisal|reference|purposes|sake|fun"
)
_HEARERS = (
    "board|management|boss|bosses|managers?|directors?|chief|ceo|cfo|coo|auditors?|accountants?|bookkeepers?|lawyers?"
    "|press|investors?|shareholders?|bank|insurers?|insurance|council|committee|guys|folks?|lads|colleagues?|wife"
    "|husband|mum|mother|dad|owners?|partners?|head office|office|authorities|upstairs|man|men"
    "|lady|ladies|team|crowd|bunch|gang"
)
_FOLKS = word_class("folk folks guys lads man men lady ladies crowd bunch")
"""Hearers of whom only the word before them tells who they are."""
_REASONS = (
    r"\((?P<in>[^()]*)\)",
    rf"[,;:.!?]\s*for (?:{_SPEAKER} |the |an? |this |that )?[^,;:.!?]*",
    rf"\bfor (?:the |my |our |an? |this |that |his |her |some )?(?:[\w'-]+ ){{0,2}}(?:{_OCCASIONS}|{_HEARERS})"
    r"(?: (?:on|at|in|this|next|later|tomorrow|today|tonight)\b[^,;:.!?]*)?(?=\W*$)",
    rf"[,;:.!?]\s*(?:and )?(?:{_SPEAKER}|the) (?!ones?\b)(?:\w+ ){{0,3}}?(?:wants?|needs?|asks?|asked|is|are|keeps?"
    r"|has|have|was|were|likes?|says?|said|insists?|must|will|would|can|could|gets?|got)\b[^,;:.!?]*(?=\W*$)",
    r"\bfor my [^,;:.!?]*(?=\W*$)",
    rf"\bso (?:that )?(?:{_SPEAKER}|the|this|that|it)\b[^;:.!?]*",
    r"\b(?:because|since|as|before|while|in case|if|unless|until|till|otherwise|or else) (?:i|my|he|she|otherwise)\b"
    r"[^;:.!?]*",
    r"\bto (?:report|present|show|tell|send|share|impress|discuss|prepare|brief|convince|update|inform|reassure|brag"
    r"|put (?:in|into|on))"
    rf" (?:this |that |it |them |to |in |into |on |about |with |for )*{_SPEAKER}\b[^,;:.!?]*(?=\W*$)",
)
_REASON = re.compile("|".join(_REASONS), re.IGNORECASE)
_PURPOSE = re.compile(
    r"(?:^|(?<=[\s,;]))for (?:(?:the|my|our|an?|this|that|his|her|some|next|\w+'s) )*(?P<mods>(?:[\w'-]+ ){0,2}?)"
    rf"(?P<noun>{_OCCASIONS}|{_HEARERS})\b(?:\s*[:,]|\s-(?=\s)|(?=\W*$))",
    re.IGNORECASE,
)
_MEASURES = word_class("ballpark rundown tally snapshot gist headline feel idea sense hint clue guess handle shout")
_FIGURES = word_class(
    "plate plates conscience books radar desk lap hands hand mind neck hook horizon cards belt dust limbo shoulders"
    " doorstep"
    " backs shelf shelves loose ether wild whim pile backlog docket roster go cracks air watch thumbs rust cobwebs"
    " feet heels grief headache headaches pain nightmare nightmares hell nuisance wing fortune pocket pockets sleeve"
    " sleeves fingertips moment trouble"
)
"""Nouns that turns of phrase end in, and that seldom are what somebody looks for."""
_CHAT = word_class(
    "asap pronto tops mate pal buddy pls plz thx ta tbh fyi btw lol haha guys lads everybody gosh ugh argh oops sorry"
    " cheers honestly frankly basically seriously kindly ish approx circa anyhow whatsoever plainly yikes blimey phew"
)
_PRAISE = word_class(
    "brave loyal keen eager proud sad glad mad smart clever rude odd strange bizarre absurd huge massive gigantic"
    " enormous tiny vast immense horrible terrible dreadful appalling atrocious hideous pathetic miserable unfortunate"
    " unlucky infamous notorious legendary epic stellar superb excellent splendid magnificent terrific marvellous"
    " marvelous incredible unbelievable remarkable impressive formidable talented gifted diligent hard-working"
    " hardworking dedicated devoted cherished treasured esteemed honoured respected fellow damn damned darn bleeding"
    " blasted wretched cursed so-called alleged supposed apparent ultimate sheer utter mere pure proverbial dumb"
    " stupid idiotic insane hectic chaotic brutal stubborn persistent elusive super mega cool sweet cute bonkers"
    " rotten embarrassing annoying amazing boring exciting depressing worrying alarming disappointing frustrating"
    " shocking irritating surprising stunning charming blooming freaking flipping promising nagging lingering"
    " struggling exhausting tiring long-suffering never-ending overworked underpaid scary wary hairy fiery edgy dodgy"
    " soggy pricey cagey dicey dopey fresh puny wonky"
)
_PRAISING = re.compile(r"\w{2,}(?:y|ful|ous|ish|some|less)$")
_KINDS = re.compile(
    r"\w+(?:ory|ery|ary|ury|ity|ety|ncy|acy|licy|gy|phy|ily|any|ney|try|omy|ay|oy|ey)$"
    r"|(?:party|body|study|baby|army|navy|lady"
    r"|story|beauty|duty|county|hobby|lobby|ruby|pony|copy|therapy|energy|cordless|wireless|cashless|paperless"
    r"|religious|poisonous|hazardous|continuous|anonymous|autonomous|spanish|polish|british|irish|scottish|english"
    r"|turkish|swedish|danish|finnish|welsh|jewish|italy|germany|hungary|turkey|norway)$"
)
"""Words with the ends of praise that tell one kind from another."""
_HIT = word_class("us me")
_WHERE = word_class("on in under off up at around out")
_POSSESSIVES = word_class("their his her our my your its")
_PARTICLES = word_class("up off out along away through back")
_DRIFTING = _PARTICLES | word_class("around about over")
_BEING = word_class("is are was were be been")
_HAVING = word_class("have has had having with")
_DONE = ("ed", "en", "wn", "un", "ung")


def without_purposes(text: str, is_known: Callable[[str], bool]) -> str:
    """The line without what it says of whom or what the answer is for, where that is nothing of the schema's."""

    def left(found: re.Match[str]) -> str:
        said = found["mods"].lower().split()
        if found["noun"].lower() not in _FOLKS:
            said.append(found["noun"].lower())
        return found[0] if any(map(is_known, said)) else ""

    return _PURPOSE.sub(left, text).strip(" ,") or text


def _asides(text: str, known: Collection[str]) -> Iterator[tuple[int, int]]:
    """Where in the line somebody speaks of something beside the question: in front of one that holds something known,
    or where he gives reasons."""
    yield from (found.span() for found in _REASON.finditer(text))
    found = _QUESTION.search(text)
    before = text[: found.start()] if found else ""
    if _HEARD.search(before) and not _NARROWS.match(before) and any(word in text[len(before) :] for word in known):
        yield 0, len(before)


def are_beside(text: str, said: str, known: Collection[str]) -> bool:
    """Whether the words stand only in such parts of the line; `known` are words of it that the schema knows."""
    places = [found.start() for found in re.finditer(rf"(?<!\w){re.escape(said)}(?!\w)", text, re.IGNORECASE)]
    parts = list(_asides(text, known))
    return bool(places) and all(any(start <= place < end for start, end in parts) for place in places)


def is_turn_of_phrase(tokens: Sequence[str], at: int, word: str) -> bool:
    """Whether the word only belongs to a manner of speaking: on somebody's plate, a ballpark of, piled up, pals."""
    before, behind = tokens[at - 1] if at else "", tokens[at + 1] if at + 1 < len(tokens) else ""
    lead = next((token for token in reversed(tokens[:at]) if token not in ARTICLES), "")
    is_figure = word in _FIGURES and (lead in _HIT | _WHERE | _BEING or lead.endswith("ing"))
    is_doing = behind in _FIGURES | _HIT and word.endswith("ing")
    is_measure = word in _MEASURES and before in ARTICLES
    is_verb = word.endswith(_DONE) if before in _HAVING else before not in ARTICLES | PREPOSITIONS
    is_phrasal = is_verb and bool(before) and behind in (_DRIFTING if word.endswith("ing") else _PARTICLES)
    is_busy = word.endswith("ing") and behind in _POSSESSIVES
    is_busy |= at > 1 and before in _POSSESSIVES and tokens[at - 2].endswith("ing")
    return word in _CHAT or word in _PARTICLES or is_busy or is_figure or is_doing or is_measure or is_phrasal


def is_praise(word: str) -> bool:
    """Whether an adjective before a noun says how somebody finds it, not of which kind it is."""
    return word in _PRAISE or (_PRAISING.match(word) is not None and _KINDS.match(word) is None)
