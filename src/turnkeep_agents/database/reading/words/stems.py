"""Words as they are compared, without their endings. A root is what a verb and the nouns and adjectives made of it have
in common; it need not be a word."""

_IRREGULAR = {
    "people": "person",
    "persons": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "staff": "staff",
    "data": "data",
    "media": "media",
    "series": "series",
    "species": "species",
    "criteria": "criterion",
    "analyses": "analysis",
    "diagnoses": "diagnosis",
    "statuses": "status",
    "status": "status",
    "addresses": "address",
    "businesses": "business",
    "classes": "class",
    "losses": "loss",
    "passes": "pass",
    "processes": "process",
    "gas": "gas",
    "wives": "wife",
    "lives": "life",
    "shelves": "shelf",
    "ups": "up",
}
_ROOTS = {
    "paid": "pay",
    "pay": "pay",
    "sold": "sale",
    "sell": "sale",
    "sent": "send",
    "bought": "buy",
    "made": "make",
    "held": "hold",
    "led": "lead",
    "spent": "spend",
    "done": "do",
    "begun": "begin",
    "began": "begin",
    "born": "birth",
    "won": "win",
    "winning": "win",
    "lost": "lose",
    "lose": "lose",
    "losing": "lose",
    "absent": "absenc",
    "expiry": "expir",
    "written": "write",
    "taken": "take",
    "took": "take",
    "gave": "give",
    "wrote": "write",
    "given": "give",
    "lent": "loan",
    "left": "leave",
    "belong": "belong",
    "quoted": "quot",
    "visited": "visit",
    "visit": "visit",
}
_ENDINGS = ("isation", "ization", "itions", "ition", "ments", "ment", "ions", "ion", "ings", "ing")
_MORE_ENDINGS = ("tors", "tor", "als", "al", "ees", "ee", "ed", "es", "e", "y")
_AT_LEAST = 6  # letters with which "-at" is an ending as well: certificate, certification
_LEAST = 3


def singular(word: str) -> str:
    """`word`, in lower case, without an English plural ending."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    return _spelled(_without_plural(word))


def _spelled(word: str) -> str:
    """Of two spellings the American one: kilometre, labour."""
    if len(word) > _LEAST + 1 and word.endswith("tre"):
        return word[:-2] + "er"
    return word[:-3] + "or" if len(word) > _LEAST + 2 and word.endswith(("bour", "lour", "vour")) else word


def _without_plural(word: str) -> str:
    if len(word) > _AT_LEAST - 1 and word.endswith("men"):
        return word[:-2] + "an"
    if len(word) < 4 or not word.endswith("s") or word.endswith(("us", "ss", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("shes", "ches", "xes", "sses", "zzes")) else word[:-1]


def root(word: str) -> str:
    """What `word`, in lower case, shares with its relatives: completed, completion and completes are one."""
    word = singular(word)
    if word in _ROOTS:
        return _ROOTS[word]
    for ending in (*_ENDINGS, *_MORE_ENDINGS):
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
            kept = word[: -len(ending)] + ("t" if ending in ("tor", "tors") else "")
            word = _ROOTS.get(kept, kept)
            break
    if word.endswith("at") and len(word) >= _AT_LEAST:
        word = word[:-2]
    if word.endswith("scrib"):
        return word[:-1] + "pt"
    return word[:-1] if len(word) > _LEAST and word[-1] == word[-2] else word
