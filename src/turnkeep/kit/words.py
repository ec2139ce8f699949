"""Words of a text, for comparing texts without a model: case, accents and endings are normalised."""

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile("[\u3040-\u30fa\u30fc-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+")
_VOICED = "\u3099\u309a"  # kana marks, which are not accents


def words(text: str) -> list[str]:
    """Return the words of `text` in order: lower case, no accents, and scripts without spaces as pairs of letters."""
    return _WORD.findall(paired(text).lower())


def paired(text: str, *, with_letters: bool = False) -> str:
    """Return `text` without accents. Chinese, Japanese and Korean become overlapping pairs of letters; `with_letters`
    adds the single letters, so that one alone is found."""
    if text.isascii():
        return text
    bare = (c for c in unicodedata.normalize("NFKD", text) if c in _VOICED or not unicodedata.combining(c))

    def pairs(run: re.Match[str]) -> str:
        both = [run[0][at : at + 2] for at in range(max(len(run[0]) - 1, 1))]
        return f" {' '.join([*both, *(run[0] if with_letters and len(run[0]) > 1 else '')])} "

    return _UNSPACED.sub(pairs, unicodedata.normalize("NFC", "".join(bare)))


def singular(word: str) -> str:
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
