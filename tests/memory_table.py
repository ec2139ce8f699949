"""DynamoDB in memory, behind the calls of a boto3 client that `Items` makes.

Expressions are compiled once to Python. Items keep their type tags and are never changed in place, so reads need no
copy. test_table.py compares every answer with DynamoDB Local.
"""

# ruff: noqa: N803 - the names of arguments are those of boto3

import re
from bisect import bisect_left, bisect_right, insort
from datetime import UTC, datetime

from botocore.exceptions import ClientError

_TOKEN = re.compile(r"\s*(<=|>=|<>|[=<>(),+]|[#:]?\w+(?:\.#?\w+)*)")
_COMPILED = {}
INDEXES = {"by_user": ("u", "la"), "by_expiry": ("xh", "PK")}
TOKEN_SECONDS = 600
_SETS = ("SS", "NS", "BS")


class Invalid(Exception):
    """An expression that DynamoDB rejects, or that this table does not know."""


def failure(operation, code, status=400, **more):
    response = {"Error": {"Code": code, "Message": ""}, "ResponseMetadata": {"HTTPStatusCode": status}, **more}
    return ClientError(response, operation)


def _refused(operation, item, shows):
    return failure(operation, "ConditionalCheckFailedException", **({"Item": item} if item and shows else {}))


# expressions


def _get(item, *path):
    for name in path[:-1]:
        item = (item.get(name) or {}).get("M") or {}
    return item.get(path[-1])


def _content(value):
    ((tag, content),) = value.items()
    if tag == "N":
        return tag, int(content)
    return tag, frozenset(content) if tag in _SETS else content


def _compared(compare, *, is_ordered=True):
    def holds(a, b):
        if a is None or b is None:
            return False
        (tag, x), (other, y) = _content(a), _content(b)
        return compare(x, y) if tag == other else not is_ordered and compare(tag, other)

    return holds


def _contains(value, part):
    if value is None:
        return False
    ((tag, content),), ((kind, wanted),) = value.items(), part.items()
    if tag == "L":
        return part in content
    return wanted in content if tag in _SETS else tag == kind and wanted in content


def _plus(a, b):
    if a is None or b is None or "N" not in a or "N" not in b:
        raise Invalid("an operand of + is not a number")
    return {"N": str(int(a["N"]) + int(b["N"]))}


_SCOPE = {
    "get": _get,
    "eq": _compared(lambda a, b: a == b, is_ordered=False),
    "ne": lambda a, b: a is None or b is None or _content(a) != _content(b),
    "lt": _compared(lambda a, b: a < b),
    "le": _compared(lambda a, b: a <= b),
    "gt": _compared(lambda a, b: a > b),
    "ge": _compared(lambda a, b: a >= b),
    "contains": _contains,
    "begins_with": lambda value, part: value is not None and _content(value)[1].startswith(_content(part)[1]),
    "size": lambda value: value and {"N": str(len(next(iter(value.values()))))},
    "plus": _plus,
    "if_not_exists": lambda value, other: other if value is None else value,
    "attribute_exists": lambda value: value is not None,
    "attribute_not_exists": lambda value: value is None,
}
_COMPARE = {"=": "eq", "<>": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_TESTS = ("attribute_exists", "attribute_not_exists", "contains", "begins_with")


class _Parser:
    """Turns an expression into the source of a Python expression over I (item) and V (values)."""

    def __init__(self, text, names):
        self.tokens = _TOKEN.findall(text)
        if "".join(self.tokens) != re.sub(r"\s", "", text):
            raise Invalid(text)
        self.names, self.at, self.text = names, 0, text

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self, expected=None):
        word = self.peek()
        self.at += 1
        if not word or (expected and word != expected):
            raise Invalid(f"{self.text}: {expected} expected")
        return word

    def takes(self, word):
        if self.peek() == word:
            self.at += 1
            return True
        return False

    def condition(self):
        source = self._any()
        if self.peek():
            raise Invalid(self.text)
        return _function(source)

    def _any(self):
        parts = [self._all()]
        while self.takes("OR"):
            parts.append(self._all())
        return f"({' or '.join(parts)})"

    def _all(self):
        parts = [self._one()]
        while self.takes("AND"):
            parts.append(self._one())
        return f"({' and '.join(parts)})"

    def _one(self):
        if self.takes("NOT"):
            return f"(not {self._one()})"
        if self.takes("("):
            inner = self._any()
            self.next(")")
            return inner
        left = self.operand()
        if left.startswith(_TESTS):
            return left
        word = self.next()
        if word == "BETWEEN":
            low, _, high = self.operand(), self.next("AND"), self.operand()
            return f"(ge({left},{low}) and le({left},{high}))"
        return f"{_COMPARE[word]}({left},{self.operand()})"

    def path(self):
        return [self.names[part] if part.startswith("#") else part for part in self.next().split(".")]

    def operand(self):
        word = self.peek()
        if word.startswith(":"):
            return f"V[{self.next()!r}]"
        path = self.path()
        if not self.takes("("):
            return f"I.get({path[0]!r})" if len(path) == 1 else f"get(I,{','.join(map(repr, path))})"
        given = [self.operand()]
        while self.takes(","):
            given.append(self.operand())
        self.next(")")
        if word not in _SCOPE:
            raise Invalid(word)
        return f"{word}({','.join(given)})"

    def change(self):
        """The steps of an update: verb, path, and a function that makes the value."""
        verb, steps = "", []
        while self.peek():
            if self.peek() in ("SET", "REMOVE", "ADD", "DELETE"):
                verb = self.next()
            path, make = tuple(self.path()), None
            if verb == "SET":
                self.next("=")
                source = self.operand()
                while self.takes("+"):
                    source = f"plus({source},{self.operand()})"
                make = _function(source)
            elif verb != "REMOVE":
                make = _function(self.operand())
            steps.append((verb, path, make))
            self.takes(",")
        paths = [path for _, path, _ in steps]
        if len({*paths}) != len(paths) or any(path[0] in ("PK", "SK") for path in paths):
            raise Invalid(f"overlapping paths or a key: {self.text}")
        return steps


def _function(source):
    return eval(f"lambda I,V: {source}", dict(_SCOPE))


def _compiled(kind, text, names):
    known = (kind, text, tuple(sorted((names or {}).items())))
    if known not in _COMPILED:
        _COMPILED[known] = getattr(_Parser(text, names or {}), kind)()
    return _COMPILED[known]


def _updated(old, steps, values):
    new = dict(old)
    for verb, path, make in steps:
        place, name = new, path[-1]
        for step in path[:-1]:
            if "M" not in place.get(step, {}):
                raise Invalid("the document path is invalid for update")
            place[step] = {"M": dict(place[step]["M"])}
            place = place[step]["M"]
        value = make and make(old, values)
        if verb == "REMOVE":
            place.pop(name, None)
        elif value is None:
            raise Invalid("an operand does not exist")
        elif verb == "SET":
            place[name] = value
        elif "N" in value:
            place[name] = _plus(place.get(name, {"N": "0"}), value)
        else:
            ((tag, content),) = value.items()
            had = set(place.pop(name, {}).get(tag, ()))
            if left := had | set(content) if verb == "ADD" else had - set(content):
                place[name] = {tag: sorted(left)}
    return new


# the table


class Table:
    """`clock` returns epoch seconds, `lag` how many seconds behind now an index or an eventually consistent Query is;
    `page` is the most items of a page. `on_head` is called with partition, old and new item for each change of a HEAD.
    """

    def __init__(self, clock, *, lag=lambda: 0.0, page=1000, on_head=None):
        self.clock, self.lag, self.page, self.on_head = clock, lag, page, on_head
        self.parts, self.order, self.past = {}, {}, {}
        self.indexes, self.pending = {name: {} for name in INDEXES}, []
        self.tokens = {}
        self.made = clock()

    def item(self, pk, sk):
        return self.parts.get(pk, {}).get(sk)

    def set(self, pk, sk, item):
        """The one place that changes anything; None deletes."""
        part, order = self.parts.setdefault(pk, {}), self.order.setdefault(pk, [])
        old = part.get(sk)
        self.past.setdefault(pk, []).append((self.clock(), sk, old))
        if item is None and old is not None:
            del part[sk], order[bisect_left(order, sk)]
        elif item is not None:
            if old is None:
                insort(order, sk)
            part[sk] = item
        if not part:
            del self.parts[pk], self.order[pk]
        for name, attributes in INDEXES.items():
            before, after = (tuple(each.get(a) for a in attributes) for each in (old or {}, item or {}))
            if before != after:
                self.pending.append((self.clock(), name, (pk, sk), before, after))
        if sk == "HEAD" and self.on_head:
            self.on_head(pk, old or {}, item or {})

    def _demand(self, operation, key, condition, given):
        """The item of the key, where the condition holds on it."""
        old = self.item(key["PK"]["S"], key["SK"]["S"])
        names, values = given.get("ExpressionAttributeNames"), given.get("ExpressionAttributeValues") or {}
        if condition and not _compiled("condition", condition, names)(old or {}, values):
            raise _refused(operation, old, given.get("ReturnValuesOnConditionCheckFailure"))
        return old

    def _changed(self, old, key, given):
        steps = _compiled("change", given["UpdateExpression"], given.get("ExpressionAttributeNames"))
        return _updated(old or key, steps, given.get("ExpressionAttributeValues") or {})

    # one item

    def get_item(self, *, Key, **_):
        found = self.item(Key["PK"]["S"], Key["SK"]["S"])
        return {} if found is None else {"Item": found}

    def put_item(self, *, Item, ConditionExpression=None, **given):
        self._demand("PutItem", Item, ConditionExpression, given)
        self.set(Item["PK"]["S"], Item["SK"]["S"], Item)
        return {}

    def update_item(self, *, Key, ConditionExpression=None, ReturnValues="NONE", **given):
        old = self._demand("UpdateItem", Key, ConditionExpression, given)
        try:
            new = self._changed(old, Key, given)
        except Invalid as error:
            raise failure("UpdateItem", "ValidationException") from error
        self.set(Key["PK"]["S"], Key["SK"]["S"], new)
        shown = {"ALL_NEW": new, "ALL_OLD": old}.get(ReturnValues)
        return {"Attributes": shown} if shown else {}

    def delete_item(self, *, Key, ConditionExpression=None, **given):
        self._demand("DeleteItem", Key, ConditionExpression, given)
        self.set(Key["PK"]["S"], Key["SK"]["S"], None)
        return {}

    # several items

    def transact_write_items(self, *, TransactItems, ClientRequestToken=None):
        if self.tokens.get(ClientRequestToken, -1e18) > self.clock() - TOKEN_SECONDS:
            return {}
        reasons, steps = [], {}
        for each in TransactItems:
            ((kind, given),) = each.items()
            key = given["Item"] if kind == "Put" else given["Key"]
            place = key["PK"]["S"], key["SK"]["S"]
            if place in steps:
                raise failure("TransactWriteItems", "ValidationException")
            steps[place] = ...
            try:
                steps[place] = self._step(kind, key, given)
                reasons.append({"Code": "None"})
            except ClientError as error:
                item = error.response.get("Item")
                reasons.append({"Code": "ConditionalCheckFailed", **({"Item": item} if item else {})})
        if any(reason["Code"] != "None" for reason in reasons):
            raise failure("TransactWriteItems", "TransactionCanceledException", CancellationReasons=reasons)
        for place, item in steps.items():
            if item is not ...:
                self.set(*place, item)
        if ClientRequestToken:
            self.tokens[ClientRequestToken] = self.clock()
        return {}

    def _step(self, kind, key, given):
        """The item as the step leaves it; an ellipsis where the step is only a condition."""
        old = self._demand("TransactWriteItems", key, given.get("ConditionExpression"), given)
        if kind == "Update":
            return self._changed(old, key, given)
        return {"Put": given.get("Item"), "Delete": None}.get(kind, ...)

    def batch_get_item(self, *, RequestItems):
        ((table, request),) = RequestItems.items()
        found = [self.item(key["PK"]["S"], key["SK"]["S"]) for key in request["Keys"]]
        return {"Responses": {table: [item for item in found if item is not None]}, "UnprocessedKeys": {}}

    def batch_write_item(self, *, RequestItems):
        for request in next(iter(RequestItems.values())):
            self.write_one(request)
        return {"UnprocessedItems": {}}

    def write_one(self, request):
        item = request.get("PutRequest", {}).get("Item")
        key = item or request["DeleteRequest"]["Key"]
        self.set(key["PK"]["S"], key["SK"]["S"], item)

    # queries

    def query(self, *, ExpressionAttributeValues, IndexName=None, ScanIndexForward=True, Limit=None, **given):
        limit, start = min(Limit or self.page, self.page), given.get("ExclusiveStartKey")
        if IndexName:
            return self._index(IndexName, ExpressionAttributeValues[":value"]["S"], ScanIndexForward, limit, start)
        values = {name[1:]: value["S"] for name, value in ExpressionAttributeValues.items()}
        pk, part = values["pk"], self.parts.get(values["pk"], {})
        order = self.order.get(pk, [])
        if not given.get("ConsistentRead"):
            part = self._as_of(pk, self.clock() - self.lag())
            order = sorted(part)
        low, high = 0, len(order)
        if "low" in values:
            low, high = bisect_left(order, values["low"]), bisect_right(order, values["high"])
        elif "prefix" in values:
            low, high = bisect_left(order, values["prefix"]), bisect_left(order, values["prefix"] + "\U0010ffff")
        if start and ScanIndexForward:
            low = max(low, bisect_right(order, start["SK"]["S"]))
        elif start:
            high = min(high, bisect_left(order, start["SK"]["S"]))
        names = order[low:high] if ScanIndexForward else order[low:high][::-1]
        items = [part[sk] for sk in names[:limit]]
        last = {"LastEvaluatedKey": {"PK": {"S": pk}, "SK": {"S": names[limit - 1]}}} if len(names) >= limit else {}
        if wanted := given.get("ProjectionExpression"):
            kept = {given["ExpressionAttributeNames"][word.strip()] for word in wanted.split(",")}
            items = [{name: item[name] for name in kept if name in item} for item in items]
        return {"Items": items, **last}

    def _as_of(self, pk, then):
        """The items of the partition at that time."""
        part = dict(self.parts.get(pk, {}))
        for when, sk, item in reversed(self.past.get(pk, ())):
            if when <= then:
                break
            part[sk] = item
        return {sk: item for sk, item in part.items() if item is not None}

    def settle(self, until):
        """Brings the indexes to what the table was at this time."""
        due = [change for change in self.pending if change[0] <= until]
        self.pending = [change for change in self.pending if change[0] > until]
        for _, name, place, before, after in due:
            if None not in before:
                self.indexes[name].get(before[0]["S"], {}).pop(place, None)
            if None not in after:
                self.indexes[name].setdefault(after[0]["S"], {})[place] = after

    def _index(self, name, value, forward, limit, start):
        self.settle(self.clock() - self.lag())
        attributes = INDEXES[name]
        entries = [
            {"PK": {"S": pk}, "SK": {"S": sk}} | dict(zip(attributes, content, strict=True))
            for (pk, sk), content in self.indexes[name].get(value, {}).items()
        ]

        def rank(entry):
            return _content(entry[attributes[1]])[1], entry["PK"]["S"], entry["SK"]["S"]

        entries.sort(key=rank, reverse=not forward)
        if start:
            at = rank(start)
            entries = [each for each in entries if (rank(each) > at if forward else rank(each) < at)]
        last = {"LastEvaluatedKey": entries[limit - 1]} if len(entries) >= limit else {}
        return {"Items": entries[:limit], **last}

    def scan(self, *, ExpressionAttributeValues, **_):
        pk, sk = (ExpressionAttributeValues[name]["S"] for name in (":pk", ":sk"))
        parts = [part for each, part in self.parts.items() if each.startswith(pk)]
        return {"Items": [item for part in parts for name, item in part.items() if name.startswith(sk)]}

    def describe_table(self, **_):
        return {"Table": {"CreationDateTime": datetime.fromtimestamp(self.made, UTC)}}
