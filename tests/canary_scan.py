"""Personal data that nobody else has, and the places where none of it may be found: whatever is packed is unpacked, so
that what is not found is not there."""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stdnum import iban
from stdnum.it import codicefiscale

from turnkeep.signing import ID_BYTES
from turnkeep.store.attributes import decode

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

PLACES = ("message", "answer", "tool", "event", "state", "details", "question")
SURNAMES = ("Ferrantelli", "Bragaglia", "Zambrotti", "Quaranta", "Castagnoli", "Vergottini", "Malinverni")
_SEAL_BYTES = 16


@dataclass(frozen=True)
class Canary:
    """What is planted in one place."""

    email: str
    iban: str
    tax_id: str
    phone: str
    name: str

    def __str__(self) -> str:
        return (
            f"Mi chiamo {self.name}, my e-mail is {self.email}, my IBAN {self.iban}, codice fiscale {self.tax_id}; "
            f"phone {self.phone}."
        )

    @property
    def words(self) -> list[str]:
        return [self.email, self.iban, self.tax_id, self.phone, self.name.split()[1]]


def canary(place: str) -> Canary:
    n = PLACES.index(place) + 1
    account = f"37040044{n:010d}"
    tax = f"RSSMRA85T10A5{n:02d}"
    return Canary(
        email=f"{place}.canary@example.org",
        iban=f"DE{iban.calc_check_digits(f'DE00{account}')}{account}",
        tax_id=tax + codicefiscale.calc_check_digit(tax),
        phone=f"+39 347 55512{n:02d}",
        name=f"Giulia {SURNAMES[n - 1]}",
    )


def planted() -> dict[str, str]:
    """Every word that may be found nowhere, with its place."""
    return {word: place for place in PLACES for word in canary(place).words}


def found_in(texts: Iterable[bytes | str]) -> set[str]:
    """The words that stand in any of the texts."""
    whole = b"\n".join(text.encode() if isinstance(text, str) else text for text in texts)
    return {word for word in planted() if word.encode() in whole}


def places_in(texts: Iterable[bytes | str]) -> set[str]:
    return {planted()[word] for word in found_in(texts)}


def unpacked(stored: bytes) -> bytes:
    """What is sealed is compressed too; what is encrypted stays as it is."""
    try:
        return stored + zlib.decompress(stored[1 + ID_BYTES + _SEAL_BYTES :])
    except zlib.error:
        return stored


def texts_of(value: Any) -> Iterator[bytes]:
    """All that an item says, names too."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from texts_of(name)
            yield from texts_of(each)
    elif isinstance(value, list | tuple | set):
        for each in value:
            yield from texts_of(each)
    else:
        yield unpacked(bytes(value)) if isinstance(value, bytes | bytearray) else str(value).encode()


def items_in(dynamodb: "DynamoDBClient", table: str) -> Iterator[bytes]:
    for page in dynamodb.get_paginator("scan").paginate(TableName=table):
        for item in page["Items"]:
            yield from texts_of(decode(item))  # type: ignore[arg-type]


def files_in(folder: Path) -> Iterator[bytes]:
    """Objects, and what their paths say."""
    for path in folder.rglob("*"):
        yield str(path.relative_to(folder)).encode()
        if path.is_file():
            yield unpacked(path.read_bytes())
