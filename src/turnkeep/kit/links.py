"""Links in a reply: only addresses that occur complete in the material of the turn are allowed. Anything that a
Markdown parser, chat client or terminal may take for a link counts, so some text that is no link is rejected too."""

import html
import re
from collections.abc import Iterable, Iterator

from turnkeep.models.outgoing import placeholders_made
from turnkeep.placeholders import PLACEHOLDER
from turnkeep.texts import printable

_GIVEN = "\ue000"  # replaces a placeholder of the material, which stands for the user's own text
_ODD = "\ufffd"  # replaces a bracket, quote or blank written as an entity or after a backslash: it ends no address
_SPELLED = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]\w{1,31});|\\([!-/:-@\[-`{-~])", re.I)
_ENDS = re.compile(r"[\s()\[\]<>\"'\\]")

_WIDE = "com|net|org|edu|gov|biz|xyz|xxx|aero|asia|coop|museum|\u0440\u0444|example"
_TOP = f"{_WIDE}|info|name|pro|web|app|dev|site|online|shop|store|club|top|live|link|click|page|cloud|test|[a-z]{{2}}"
_HOST = r"(?<![a-z\d-])(?:[\w-]{1,63}\.){1,8}"
_START = re.compile(
    r"\]\([ \t]*"  # "[text](address)"
    r"|(?<=<)[a-z][a-z\d+.-]{1,31}:(?=[^\s<>]*>)"  # "<scheme:address>"
    r"|[a-z][a-z\d+.-]{0,31}:(?=//)|(?:https?|mailto):(?=[^\s\"'`*),.;])"
    r"|(?<![a-z\d:/])//(?=[^\s/)\]])"
    r"|(?<![a-z\d])www\d?\.(?=\S)"
    r"|[^\s@<>()\[\],;:]{1,64}@(?=(?:[\w-]{1,63}\.){1,8}[a-z])"
    rf"|{_HOST}(?:(?:{_TOP})(?=(?::\d+)?[/?#]\S)|(?:{_WIDE})(?![a-z\d-]|\.[a-z\d]))"  # "example.org/page"
    r"|(?<![a-z\d@.`-])(?:[\w-]{1,63}\.){2,8}(?:[a-z]{2}|info|name|pro|shop|web)(?![a-z\d(-]|\.[a-z\d])",  # "a.b.it"
    re.I,
)
# The address of "[text](address)" up to the closing bracket, blanks included, as some clients link all of it.
_INSIDE = re.compile(r"((?:[^()\n]|\([^()\n]*\))*)(?=\)(?![A-Za-z\d%&=/?#]))")
# Text directly before an address without a scheme, reversed: some parsers include it in the address.
_HEAD = re.compile(r"(?:[^\s()<>\[\]\"'*,;:]|(?<=@):)*+")
_ANGLE, _RUN = re.compile(r"[^<>\n]*(?=>(?!\S*[A-Za-z\d]))"), re.compile(r"\S*")
_AROUND = "()[]{}<>\"'*_`~.,;:!?|\u00bb\u201c\u201d\u2018\u2019\u2026\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f\uff09"
_SCHEME = re.compile(r"\A(?:https?:|mailto:|tel:)?(?://)?", re.I)
_LONGEST = 2_000  # characters of an address
_WHOLE = r"(?:(?<=//)|(?<![\w.@%/-]))(?i:{host}){path}/?(?=[.:!?*_~]*(?:[\s)\]}}>\"'`,;|<\\]|[^\x00-\x7f]|\Z))"


class Links:
    def __init__(self, material: Iterable[str]):
        texts = [*material]
        self._given = {at[0] for text in texts for at in PLACEHOLDER.finditer(text)}
        self._material = "\n".join(map(_plain, texts))

    def problems(self, unit: str) -> list[str]:
        """Report links that are not in the material, with placeholders restored, and unknown placeholders."""
        made, unknown = placeholders_made(), list[str]()

        def restored(at: re.Match[str]) -> str:
            if at[0] in self._given:
                return _GIVEN
            if made is not None and at[0] not in made:
                unknown.append(f"{at[0]} stands for nothing; leave it out")
            return made.get(at[0], at[0]) if made is not None else at[0]

        text = PLACEHOLDER.sub(restored, unit.replace(_GIVEN, _ODD))
        foreign = dict.fromkeys(each for each in addresses(text) if not self._is_known(each))
        return [*unknown, *(f"{each} is in none of the sources; leave it out" for each in foreign)]

    def _is_known(self, address: str) -> bool:
        bare = _SCHEME.sub("", address[:_LONGEST], count=1)
        host = re.split(r"[/?#]", bare, maxsplit=1)[0]
        path = re.escape(bare[len(host) :].removesuffix("/"))
        whole = _WHOLE.format(host=re.escape(host), path=path)
        return bare == _GIVEN or (len(address) < _LONGEST and re.search(whole, self._material) is not None)


def addresses(markdown: str) -> Iterator[str]:
    """Yield possible links, each at the greatest length that any client may link."""
    text, end = _plain(markdown), 0
    while at := _START.search(text, end):
        is_inside = at[0].startswith("](")
        start = at.end() if is_inside else at.start()
        if not is_inside and ":" not in at[0]:
            start -= next(_HEAD.finditer(text[end:start][::-1])).end()
        form = _INSIDE if is_inside else _ANGLE if text[start - 1 : start] == "<" else _RUN
        found = form.match(text, start)
        if found is None:  # the address may continue in the next sentence
            yield text[start:].strip() + _ODD
            return
        end = max(found.end(), at.end())
        if address := found[0].strip().strip(_AROUND):
            yield address


def _plain(text: str) -> str:
    """Return the text as displayed, without entities and escapes."""

    def character(at: re.Match[str]) -> str:
        found = at[1] or html.unescape(at[0])
        return _ODD if _ENDS.search(found) else found

    return _SPELLED.sub(character, printable(text))
