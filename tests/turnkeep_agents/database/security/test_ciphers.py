import pytest
from hypothesis import given
from hypothesis import strategies as st

from mariadb import Server
from turnkeep_agents.database.security.ciphers import decrypt, encrypt

TEXTS = ["", "a", "sixteen letters.", "Zoë Ångström, 12 Rue de l'Été", "x" * 1000, "日本語"]
KEYS = ["k", "sixteen letters.", "a key of more than sixteen letters that is folded", "schlüssel"]


@given(st.text(), st.text(min_size=1))
def test_decryption_reverses_encryption(text: str, key: str) -> None:
    assert decrypt(encrypt(text, key), key) == text


def test_another_key_and_other_data_are_refused() -> None:
    with pytest.raises(ValueError, match=r"."):
        decrypt(encrypt("some text", "one"), "another")
    with pytest.raises(ValueError, match=r"."):
        decrypt(b"too short", "one")


@pytest.mark.parametrize("key", KEYS)
def test_ciphers_are_compatible_with_mariadb(mariadb_server: Server, key: str) -> None:
    with mariadb_server.connect() as connection, connection.cursor() as cursor:
        for text in TEXTS:
            cursor.execute("SELECT AES_ENCRYPT(%s, %s), AES_DECRYPT(%s, %s)", (text, key, encrypt(text, key), key))
            theirs, read = cursor.fetchone()
            assert (decrypt(theirs, key), read.decode()) == (text, text)
