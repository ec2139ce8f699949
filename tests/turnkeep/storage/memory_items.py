"""A table in memory with the methods of `Items`: it evaluates the conditions that the store sends, so that a state
machine runs thousands of steps a second. test_store_machine.py runs the same machine on DynamoDB Local as well."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from turnkeep.storage.attributes import Item, Write, decode, encode
from turnkeep.storage.items import Items, Refused, Returns
from turnkeep.storage.keys import BY_USER

PAGE = 3
_TOKEN = re.compile(r"\s*(<=|>=|<>|[=<>(),+]|[#:]?\w+(?:\.#?\w+)*)")
_MISSING = object()
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}


class MemoryItems(Items):
    """Every item of one table. Pages are short, so that readers which lose their place are found out."""

    def __init__(self) -> None:
        self.stored: dict[tuple[str, str], Item] = {}

    def get(self, pk: str, sk: str) -> Item | None:
        found = self.stored.get((pk, sk))
        return None if found is None else _whole(found)

    def get_many(self, keys: Iterable[tuple[str, str]]) -> list[Item]:
        return [_copy(self.stored[key]) for key in keys if key in self.stored]

    def put(self, item: Item, *, condition: str | None = None, values: Item | None = None) -> None:
        key = (item["PK"], item["SK"])
        if condition and self.stored.get(key) != item:
            self._demand(key, condition, values or {})
        self.stored[key] = _copy(item)

    def update(
        self, pk: str, sk: str, expression: str, values: Item, *, condition: str, returns: Returns = "ALL_NEW"
    ) -> Item:
        self._demand((pk, sk), condition, values)
        before = self.stored.get((pk, sk), {})
        self.stored[pk, sk] = _Expression(expression, before or {"PK": pk, "SK": sk}, values).updated()
        return _whole(self.stored[pk, sk] if returns == "ALL_NEW" else before)

    def delete(self, pk: str, sk: str, *, condition: str, values: Item) -> None:
        self._demand((pk, sk), condition, values)
        self.stored.pop((pk, sk), None)

    def transact(self, *writes: Write) -> None:
        places = [(write.key["PK"], write.key["SK"]) for write in writes]
        assert len(set(places)) == len(places), "DynamoDB takes one step for an item"
        for write, place in zip(writes, places, strict=True):
            if (
                write.condition
                and not _Expression(write.condition, self.stored.get(place) or {}, write.values or {}).holds()
            ):
                raise Refused(_copy(self.stored.get(place)) if write.kind == "Put" else None)
        for write, place in zip(writes, places, strict=True):
            if write.kind == "Put":
                self.stored[place] = _copy(write.key)
            elif write.kind == "Update":
                old = self.stored.get(place, {"PK": place[0], "SK": place[1]})
                self.stored[place] = _Expression(write.expression or "", old, write.values or {}).updated()
            elif write.kind == "Delete":
                self.stored.pop(place, None)

    def between(self, pk: str, low: str, high: str) -> list[Item]:
        return [_copy(item) for item in self._partition(pk) if low <= item["SK"] <= high]

    def backward(self, pk: str, low: str, high: str, page: int) -> Iterator[Item]:
        return reversed(self.between(pk, low, high))

    def below(self, pk: str, prefix: str, *, page: int | None = None) -> Iterator[Item]:
        return iter([_copy(item) for item in self._partition(pk) if item["SK"].startswith(prefix)])

    def scan(self, pk: str, sk: str) -> Iterator[Item]:
        return iter(
            [_copy(item) for key, item in self.stored.items() if key[0].startswith(pk) and key[1].startswith(sk)]
        )

    def pages_of(self, pk: str, *attributes: str) -> Iterator[list[Item]]:
        at = ""
        while page := [item for item in self._partition(pk) if item["SK"] > at][:PAGE]:
            yield [{name: item[name] for name in attributes if name in item} for item in _copy(page)]
            at = page[-1]["SK"]

    def index(
        self,
        name: str,
        attribute: str,
        value: str,
        *,
        newest_first: bool = False,
        after: Item | None = None,
        page: int | None = None,
    ) -> Iterator[Item]:
        by = "la" if name == BY_USER else "PK"
        found = [item for item in self.stored.values() if item.get(attribute) == value and by in item]
        found.sort(key=lambda item: (item[by], item["PK"]), reverse=newest_first)
        at = (after[by], after["PK"]) if after else None
        for item in found:
            if at is None or ((item[by], item["PK"]) < at if newest_first else (item[by], item["PK"]) > at):
                yield {"PK": item["PK"], "SK": item["SK"], by: item[by]}

    def write_many(self, puts: Iterable[Item] = (), deletes: Iterable[tuple[str, str]] = ()) -> None:
        for item in puts:
            self.stored[item["PK"], item["SK"]] = _copy(item)
        for key in deletes:
            self.stored.pop(key, None)

    def _partition(self, pk: str) -> list[Item]:
        return sorted((item for key, item in self.stored.items() if key[0] == pk), key=lambda item: item["SK"])

    def _demand(self, key: tuple[str, str], condition: str, values: Item) -> None:
        old = self.stored.get(key)
        if not _Expression(condition, old or {}, values).holds():
            raise Refused(_copy(old))


class _Expression:
    """One condition or update expression, read from left to right over one item."""

    def __init__(self, text: str, item: Item, values: Item):
        self._tokens = _TOKEN.findall(text)
        assert "".join(self._tokens) == re.sub(r"\s", "", text), text
        self._item = item
        self._values = values
        self._at = 0

    def holds(self) -> bool:
        result = self._any()
        assert self._at == len(self._tokens), self._tokens
        return result

    def updated(self) -> Item:
        new: Item = _copy(self._item)
        verb = ""
        while self._at < len(self._tokens):
            if self._peek() in ("SET", "REMOVE", "ADD", "DELETE"):
                verb = self._next()
            path = self._next().replace("#", "").split(".")
            place = new
            for step in path[:-1]:
                place = place[step]
            if verb == "SET":
                self._expect("=")
                place[path[-1]] = _copy(self._sum())
            elif verb in ("ADD", "DELETE"):
                _change(place, path[-1], self._operand(), is_added=verb == "ADD")
            else:
                place.pop(path[-1], None)
            if self._peek() == ",":
                self._next()
        return new

    def _any(self) -> bool:
        result = self._all()
        while self._peek() == "OR":
            self._next()
            result = self._all() or result
        return result

    def _all(self) -> bool:
        result = self._one()
        while self._peek() == "AND":
            self._next()
            result = self._one() and result
        return result

    def _one(self) -> bool:
        if self._peek() == "NOT":
            self._next()
            return not self._one()
        if self._peek() == "(":
            self._next()
            result = self._any()
            self._expect(")")
            return result
        left = self._operand()
        if isinstance(left, bool):
            return left
        compare = _COMPARE[self._next()]
        right = self._operand()
        return left is not _MISSING and type(left) is type(right) and compare(left, right)

    def _sum(self) -> Any:
        left = self._operand()
        while self._peek() == "+":
            self._next()
            left += self._operand()
        return left

    def _operand(self) -> Any:
        word = self._next()
        if self._peek() == "(":
            return self._function(word)
        if word.startswith(":"):
            return self._values[word]
        value: Any = self._item
        for step in word.replace("#", "").split("."):
            value = value.get(step, _MISSING) if isinstance(value, dict) else _MISSING
        return value

    def _function(self, name: str) -> Any:
        self._expect("(")
        given = [self._operand()]
        while self._peek() == ",":
            self._next()
            given.append(self._operand())
        self._expect(")")
        match name, given:
            case "attribute_not_exists", [value]:
                return value is _MISSING
            case "attribute_exists", [value]:
                return value is not _MISSING
            case "contains", [value, part]:
                return value is not _MISSING and part in value
            case "size", [value]:
                return value if value is _MISSING else len(value)
            case "if_not_exists", [value, other]:
                return other if value is _MISSING else value
        raise AssertionError(name)

    def _peek(self) -> str:
        return str(self._tokens[self._at]) if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        word = self._peek()
        self._at += 1
        return word

    def _expect(self, word: str) -> None:
        assert self._next() == word, self._tokens


def _change(place: Item, name: str, value: Any, *, is_added: bool) -> None:
    """ADD and DELETE: numbers are summed, sets united or lessened; an empty set is none."""
    if is_added:
        place[name] = (
            place.get(name, type(value)()) | value if isinstance(value, frozenset) else place.get(name, 0) + value
        )
    elif left := place.pop(name, frozenset()) - value:
        place[name] = left


def _whole(item: Item) -> Item:
    return decode(encode(item))


def _copy(value: Any) -> Any:
    """As DynamoDB would give it back."""
    if value is None:
        return None
    if isinstance(value, dict):
        return decode(encode(value))
    return decode(encode({"value": value}))["value"]
