"""Elements of Word without text of their own: signs, symbols by font and number, form fields, and formulas, which are
written on one line, such as "(a+b)/2"."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

Operands: TypeAlias = Mapping[str, str]

LEFT_OUT = frozenset(
    ("pPr", "rPr", "sdtPr", "instrText", "delText", "delInstrText", "del", "moveFrom", "rt", "fPr", "dPr", "naryPr")
)
SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}
_SYMBOLS = (  # Adobe's encoding from 0x20 to 0x7E and from 0xA0 to 0xFE
    " !∀#∃%&∋()∗+,\u2212./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",  # noqa: RUF001
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\ufffd〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",  # noqa: RUF001
)
_NAME = re.compile(r"\{http://[\w.]+(?:/ooxml)?/(?:wordprocessingml|officeDocument)/(?:2006/)?(?:main|math)\}(.+)")
_PRIVATE = 0xF000  # Word adds it to the number of a symbol
_DINGBATS = dict(zip(b"lno\xa7\xa8\xd8\xdf\xe0\xfb\xfc\xfd\xfe", "●■☐▪☐➢←→✗✓☒☑", strict=True))


def name_of(element: Any) -> str:
    """Return the name of a text or formula element, empty for other namespaces."""
    return _name(element.tag)


@lru_cache(maxsize=1000)
def _name(tag: str) -> str:
    found = _NAME.fullmatch(tag)
    return found[1] if found else ""


def attribute(element: Any, name: str = "val") -> str:
    return str(next((value for key, value in element.items() if key.rpartition("}")[2] == name), ""))


def values_of(element: Any, part: str = "") -> dict[str, str]:
    """Return the values of the elements in `element`, or in its `part`, by name."""
    parts = [each for each in element if name_of(each) == part] if part else [element]
    return {name_of(each): attribute(each) or attribute(each, "ascii") for one in parts for each in one}


def shown_in(font: str, text: str) -> str:
    if font == "Symbol":
        codes = dict(zip((*range(0x20, 0x7F), *range(0xA0, 0xFF)), "".join(_SYMBOLS), strict=True))
    elif font.startswith("Wingdings"):
        codes = _DINGBATS
    else:
        return text
    return text.translate(codes | {_PRIVATE + code: sign for code, sign in codes.items()})


def symbol(element: Any) -> str:
    try:
        return shown_in(attribute(element, "font"), chr(int(attribute(element, "char"), 16)))
    except (ValueError, OverflowError):  # not a valid character number
        return ""


def check_box(element: Any) -> str:
    values = values_of(element)
    return "[ ]" if values.get("checked", values.get("default", "0")) in ("0", "false") else "[x]"


def choice(element: Any) -> str:
    entries = [attribute(each) for each in element if name_of(each) == "listEntry"]
    at = next((attribute(each) for each in element if name_of(each) == "result"), "0")
    return entries[int(at)] if at.isdecimal() and int(at) < len(entries) else ""


FIELDS: Mapping[str, Callable[[Any], str]] = {"sym": symbol, "checkBox": check_box, "ddList": choice}


def _group(text: str) -> str:
    return text if text.replace(".", "").replace(",", "").isalnum() else f"({text})"


def _scripts(found: Operands) -> str:
    return "".join(f"{sign}{_group(found[name])}" for sign, name in (("_", "sub"), ("^", "sup")) if found.get(name))


MATHS: Mapping[str, Callable[[Operands], str]] = {
    "f": lambda found: f"{_group(found.get('num', ''))}/{_group(found.get('den', ''))}",
    "rad": lambda found: f"{found.get('deg', '')}√({found.get('e', '')})",
    "d": lambda found: f"{found.get('begChr', '(')}{found.get('e', '')}{found.get('endChr', ')')}",
    "nary": lambda found: f"{found.get('chr', '∫')}{_scripts(found)} {found.get('e', '')}",
    **dict.fromkeys(("sSup", "sSub", "sSubSup"), lambda found: found.get("e", "") + _scripts(found)),
}
