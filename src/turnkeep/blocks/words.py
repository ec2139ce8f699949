"""Words of a text, for rules that compare texts without a model: case, accents and endings are folded away."""

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """The words of `text` in lower case and without accents, in order."""
    if not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return _WORD.findall(text.lower())


def singular(word: str) -> str:
    """`word` without an English plural ending."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("us", "ss", "is")):
        return word
    return word[:-3] + "y" if word.endswith("ies") and word[-4] not in "ae" else word[:-1]


STOP_WORDS = frozenset(
    words(
        """
        a an and are as at be been but by can could did do does for from had has have how i if in into is it
        its me my no not of on or our shall should so some such than that the their them then there these they
        this those to was we were what when where which while who whom whose why will with would you your
        about any all may more most must one only other also
        """
    )
)
