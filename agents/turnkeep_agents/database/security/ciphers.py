"""AES like MySQL's AES_ENCRYPT and AES_DECRYPT: aes-128-ecb, the key folded into 16 bytes. Equal texts have equal
ciphers. The tables use it; we would choose another mode."""

from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB
from cryptography.hazmat.primitives.padding import PKCS7

BLOCK_BYTES = 16


def encrypt(text: str, key: str) -> bytes:
    padder = PKCS7(BLOCK_BYTES * 8).padder()
    padded = padder.update(text.encode()) + padder.finalize()
    encryptor = _cipher(key).encryptor()
    return encryptor.update(padded) + encryptor.finalize()


def decrypt(data: bytes, key: str) -> str:
    """Raise ValueError if `data` was not made with `key`."""
    decryptor = _cipher(key).decryptor()
    padded = decryptor.update(data) + decryptor.finalize()
    unpadder = PKCS7(BLOCK_BYTES * 8).unpadder()
    return (unpadder.update(padded) + unpadder.finalize()).decode()


def _cipher(key: str) -> Cipher[ECB]:
    return Cipher(AES(_folded(key.encode())), ECB())  # noqa: S305 - the mode of the data, see above


def _folded(key: bytes) -> bytes:
    folded = bytearray(BLOCK_BYTES)
    for at, byte in enumerate(key):
        folded[at % BLOCK_BYTES] ^= byte
    return bytes(folded)
