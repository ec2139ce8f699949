"""Italian as search reads it: words that say nothing, and endings that are folded together."""

from functools import lru_cache

from turnkeep.blocks.words import words

STOP_WORDS = frozenset(
    words(
        """
        a ad al allo ai agli all agl alla alle con col coi da dal dallo dai dagli dall dagl dalla dalle di del dello
        dei degli dell degl della delle in nel nello nei negli nell negl nella nelle su sul sullo sui sugli sull sugl
        sulla sulle per tra fra contro
        io tu lui lei noi voi loro mio mia miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre
        vostro vostra vostri vostre mi ti ci vi lo la li le gli ne il un uno una ma ed se perché anche come dov dove
        che chi cui non più quale quali qual quanto quanti quanta quante quello quelli quella quelle questo questi
        questa queste si tutto tutti i l o e è c d
        ho hai ha abbiamo avete hanno abbia abbiano avere avrà avuto aveva avevano
        sono sei siamo siete sia siano sarà saranno essere era erano fu furono stato stata stati state
        fa fanno fare può possono posso deve devono devo cosa quando
        """
    )
)


@lru_cache(1 << 16)
def stem(word: str) -> str:
    return word[:-1] if len(word) > 4 and word[-1] in "aeio" else word
