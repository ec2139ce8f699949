"""Italian for search: stop words and stems."""

from turnkeep.kit.words import words

STEM_LETTERS = 6
STOP_WORDS = frozenset(
    words(
        """
        a ad al allo ai agli all alla alle con col coi da dal dallo dai dagli dall dalla dalle di del dello dei degli
        dell della delle in nel nello nei negli nell nella nelle su sul sullo sui sugli sull sulla sulle per tra fra
        io tu lui lei noi voi loro mio mia miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre
        vostro vostra vostri vostre mi ti ci vi si lo la li le gli ne il i l un uno una ma ed e o se anche non più
        che chi cui cosa come quando dove dov perché quale quali qual quanto quanti quanta quante
        quello quelli quella quelle questo questi questa queste tutto tutti c d è
        ho hai ha abbiamo avete hanno abbia abbiano avere avrà avuto aveva avevano
        sono sei siamo siete sia siano sarà saranno essere era erano fu furono stato stata stati state
        fa fanno fare può possono posso deve devono devo
        """
    )
)


def stem(word: str) -> str:
    """ "imposta", "imposte" -> "impost"; "licenziata", "licenziamento" -> "licenz"; numbers stay whole. With the full
    word indexed as well, this finds more than the Snowball stemmer (benchmarks/retrieval.py)."""
    if word.isdigit():
        return word
    whole = word[:-1] if len(word) > STEM_LETTERS - 2 and word[-1] in "aeio" else word
    return whole[:STEM_LETTERS]
