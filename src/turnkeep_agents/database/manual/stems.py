"""Words without their endings, more thoroughly than where schemas are read: people tell what happened, and manuals how
things are done, so that "swapped" has to meet "swap", "rang" "ring", and "moved" "move"."""

import re

from turnkeep.blocks.rarity import stem_of as rough_stem_of
from turnkeep.blocks.words import words

_IRREGULAR = """begin began begun|bind bound|bite bit bitten|blow blew blown|break broke broken|bring brought
|build built|burn burnt|buy bought|catch caught|choose chose chosen|come came|creep crept|deal dealt|dig dug
|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought
|find found|fly flew flown|forget forgot forgotten|freeze froze frozen|get got gotten|give gave given|go went gone
|grow grew grown|hear heard|hide hid hidden|hold held|keep kept|know knew known|lay laid|lead led|learn learnt
|leave left|lend lent|lose lost|make made|mean meant|meet met|pay paid|ride rode ridden|ring rang rung|rise rose risen
|run ran|say said|see saw seen|sell sold|send sent|shake shook shaken|shoot shot|show shown|sink sank sunk|sit sat
|sleep slept|speak spoke spoken|spend spent|spill spilt|stand stood|steal stole stolen|stick stuck|swear swore sworn
|sweep swept|swing swung|take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown
|understand understood|wake woke woken|wear wore worn|win won|write wrote written"""
_BASES = {form: base for row in _IRREGULAR.split("|") for base, *forms in [row.split()] for form in forms}
_SHORT = re.compile(r"(?P<root>\w*[aeiouy]\w+|[aeiou]\w*)(?:ed|ing)")
_DOUBLE = re.compile(r"\w+([^aeioulsz\d])\1")
_SILENT = re.compile(r"\w*[aeiouy]\w*[^aeiou]e")


def stem_of(word: str) -> str:
    """`swapped`, `swaps` and `swapping` fall together with `swap`."""
    bare = rough_stem_of(_BASES.get(word, word))
    short = _SHORT.fullmatch(bare) if len(bare) <= len("adding") else None
    bare = short["root"] if short else bare
    return bare[:-1] if len(bare) > len("add") and (_DOUBLE.fullmatch(bare) or _SILENT.fullmatch(bare)) else bare


def stems(text: str) -> list[str]:
    return [stem_of(word) for word in words(text)]
