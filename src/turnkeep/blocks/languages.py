"""Whether a message is in English, the one language that rules read."""

from turnkeep.blocks.words import words

_ENGLISH = frozenset(
    words(
        """
        the a an and or is are was do does did have has you your me my i we it its of in on for with to what which how
        who when where why can could would should tell show give more about under over than there any this that these
        those one please want need looking from by not no
        """
    )
)
_FOREIGN = frozenset(
    words(
        """
        il lo la gli le un uno una di da del della con per che quali quale quanto avete sono e costa meno sotto piu
        el los las una con para por que cual cuanto tienen tiene hay menos muy
        der die das und ein eine einen ist sind mit fur auf welche welches wie viel haben habt gibt unter nicht
        le les des une avec pour est sont quel quelle quels combien avez moins sous vous
        os uma com voce tem quanto quais abaixo
        een het zijn heeft hebben welke hoeveel onder van voor
        """
    )
)
_LATIN_SHARE = 0.5


def is_english(message: str) -> bool:
    """False only where another language is plain: more of its small words than of ours, or another script."""
    letters = [letter for letter in message if letter.isalpha()]
    if letters and sum(letter.isascii() or letter < "\u0250" for letter in letters) < _LATIN_SHARE * len(letters):
        return False
    said = words(message)
    ours, theirs = (sum(word in small for word in said) for small in (_ENGLISH, _FOREIGN))
    return theirs < 2 or theirs <= ours
