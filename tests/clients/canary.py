"""Plants words in the requests that pass a gateway, and searches for them in any encoding."""

import base64
import json
import re
import secrets
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import md5, sha1, sha256
from typing import Any

from canary_process import BEGINNING
from deployed_site import Gateway
from front import Front

PACKED = re.compile(rb"\x78[\x01\x5e\x9c\xda]|\x1f\x8b\x08")
TEXTS = {"content", "message", "input", "text", "instructions", "user", "query", "tone", "about", "shelf", "desk"}
"""Fields that may contain any text."""
RAW = "X-Raw"
"""Header of a request that passes unchanged."""


def planted_words(*names: str) -> dict[str, str]:
    """Return a new word of letters and digits for each name."""
    first = f"zq{secrets.token_hex(3)}"
    return {name: f"{first}{name}{secrets.token_hex(2)}" for name in names}


# The search


def forms(word: str) -> Iterator[bytes]:
    """Yield the encodings of a word; case does not matter."""
    for raw in (word.encode(), word.encode("utf-16-le")):
        yield raw
        yield raw.hex().encode()
        for before in range(3):  # base64 of a longer text has the word at one of three places in a group
            whole, bits = base64.b64encode(bytes(before) + raw), 8 * (before + len(raw))
            yield whole[-(-8 * before // 6) : bits // 6]
    yield "".join(f"%{byte:02x}" for byte in word.encode()).encode()


def digests(text: str) -> Iterator[bytes]:
    """Yield unsalted digests of a whole text, which anyone can make from a guess."""
    for kind in (md5, sha1, sha256):
        raw = kind(text.encode()).digest()
        yield from (raw, raw.hex()[:12].encode(), base64.b64encode(raw)[:16])


def layers(blob: bytes, depth: int = 2) -> Iterator[bytes]:
    """Yield the blob, and what is compressed in it, also within base64 or hex."""
    yield blob
    if depth:
        encoded = re.findall(rb"[A-Za-z0-9+/_-]{24,}", blob)
        for inner in (blob, *map(_from_base64, encoded), *map(_from_hex, encoded)):
            for found in PACKED.finditer(inner):
                yield from layers(_inflated(inner[found.start() :]), depth - 1)


def _inflated(blob: bytes) -> bytes:
    try:
        return zlib.decompressobj(47).decompress(blob, 1 << 22)
    except zlib.error:
        return b""


def _from_base64(text: bytes) -> bytes:
    text = text.translate(bytes.maketrans(b"-_", b"+/"))
    return base64.b64decode(text[: len(text) // 4 * 4])


def _from_hex(text: bytes) -> bytes:
    try:
        return bytes.fromhex(text.decode())
    except ValueError:
        return b""


class Search:
    """Find `words` by name, and the texts of `whole` by their digests."""

    def __init__(self, words: Mapping[str, str], whole: Mapping[str, str] = {}) -> None:
        known = [(form, name) for name, word in words.items() for form in forms(word)]
        known += [(form, f"digest of {name}") for name, text in whole.items() for form in digests(text)]
        self._known: dict[bytes, dict[bytes, str]] = defaultdict(dict)
        for form, name in sorted(known, key=lambda one: -len(one[0])):  # a long one may begin with a short one
            self._known[form[:BEGINNING].lower()][form.lower()] = name

    def __call__(self, blob: bytes) -> Iterator[tuple[str, str]]:
        """Yield the name and the surroundings of each find."""
        for layer in layers(blob):
            small = layer.lower()
            for beginning, known in self._known.items():
                start = small.find(beginning)
                while start >= 0:
                    name = next((name for form, name in known.items() if small.startswith(form, start)), None)
                    if name:
                        yield name, repr(layer[max(0, start - 90) : start + 90])
                    start = small.find(beginning, start + 1)


class Sinks(defaultdict[str, list[bytes]]):
    """Everything that was written or returned, by its place."""

    def __init__(self) -> None:
        super().__init__(list)

    def put(self, sink: str, *values: Any) -> None:
        self[sink] += [value if isinstance(value, bytes) else str(value).encode("utf-8", "replace") for value in values]

    def found(self, search: Search) -> dict[tuple[str, str], str]:
        """Return an example of each name in each sink."""
        return {(name, sink): text for sink in self for name, text in search(b"\n".join(self[sink]))}


# The gateway


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: Any
    route: str

    @property
    def size(self) -> int:
        return len(self.body or ())


@dataclass
class Traffic:
    """What the gateway plants, and the requests and answers that passed it."""

    word: Mapping[str, str]
    headers: Mapping[str, str]
    owner: str
    """Only responses to this caller may contain what it sent."""
    sinks: Sinks = field(default_factory=Sinks)
    requests: dict[tuple[str, str], Request] = field(default_factory=dict)
    """The largest request of each method and route."""
    codes: set[str] = field(default_factory=set)

    def planted(self, value: Any, name: str = "") -> Any:
        """Return JSON with the word after each free text."""
        if isinstance(value, dict):
            return {key: self.planted(inner, key) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.planted(inner, name) for inner in value]
        return f"{value} {self.word['message']}" if isinstance(value, str) and name in TEXTS else value


class Planting(Gateway):
    """Plant words in good requests, and keep whatever passes."""

    traffic: Traffic

    def pass_on(self, url: str, body: bytes) -> None:
        super().pass_on(url, body if RAW in self.headers else self._planted_in(body))

    def _planted_in(self, body: bytes) -> bytes:
        """Return the body with the word, and keep the request, unless it is an upload or invalid on purpose."""
        try:
            value = self.traffic.planted(json.loads(body or b"null"))
        except ValueError:
            return body
        path, method = self.path.partition("?")[0], self.command
        route = next(pattern.pattern for known, pattern, _ in self.known if known == method and pattern.match(path))
        request = Request(method, self.path, value, route)
        if request.size >= self.traffic.requests.get((method, route), request).size:
            self.traffic.requests[method, route] = request
        return json.dumps(value).encode() if body else body

    def end_to_end_headers(self) -> dict[str, str]:
        planted = {name.lower(): value for name, value in self.traffic.headers.items() if self._is_of_the_owner()}
        return {**planted, **{name.lower(): value for name, value in super().end_to_end_headers().items()}}

    def _kind_of_answer(self) -> str:
        if not self._is_of_the_owner():
            return "answer to another"
        return "export" if "/me/export" in self.path else "answer"

    def _is_of_the_owner(self) -> bool:
        return any(self.traffic.owner in value for value in self.headers.values())

    def front_of(self, path: str) -> Front | None:
        """Pass unknown routes on too."""
        return super().front_of(path) or self.fronts["api"]

    def start_background_run(self, body: bytes) -> None:
        self.traffic.sinks.put("event", body)
        super().start_background_run(body)

    def send(self, status: int, headers: Mapping[str, str], pieces: Iterable[bytes]) -> None:
        whole: list[bytes] = []
        super().send(status, headers, (whole.append(piece) or piece for piece in pieces))  # type: ignore[func-returns-value]
        kind = "problem" if status >= 400 else self._kind_of_answer()
        self.traffic.sinks.put("header", json.dumps(dict(headers)))
        self.traffic.sinks.put(kind, body := b"".join(whole))
        self.traffic.sinks.put("problem", *re.findall(rb"event: error\r?\n(data:.*)", body))
        self.traffic.codes |= {code.decode() for code in re.findall(rb'"code": ?"(\w+)"', body)}


# Requests with the word in each place


def spoilt(value: Any, word: str, name: str) -> Iterator[Any]:
    """Yield the JSON with the word instead of each part in turn, and with an additional field."""
    yield word
    if isinstance(value, dict):
        yield {**value, name: word}
        for key, inner in value.items():
            yield from ({**value, key: each} for each in spoilt(inner, word, name))
    elif isinstance(value, list) and value:
        yield from ([each, *value[1:]] for each in spoilt(value[0], word, name))


def spoilt_texts(word: str) -> Iterator[str]:
    """Yield bodies that are not valid, or too large."""
    yield f'{{"message": "{word}'
    yield f'{{"message": "\\ud800{word}"}}'
    yield f'{{"message": "{word}", "limit": NaN}}'
    yield "[" * 100_000 + word
    yield json.dumps({"message": f"{word} " + "x" * 270_000})
    yield f"--b\r\nContent-Disposition: form-data; filename={word}\r\n\r\n\0"


def spoilt_paths(path: str, word: str, name: str) -> Iterator[str]:
    """Yield the path with the word instead of each part, after the last one, and in parameters."""
    place, _, query = path.partition("?")
    parts = place.split("/")[1:]
    for n in range(len(parts)):
        yield "/".join(["", *parts[:n], word, *parts[n + 1 :]])
    yield f"{place}/{word}%0A%22"
    yield f"{place}?{query}&{name}={word}&limit={word}&offset={word}"
