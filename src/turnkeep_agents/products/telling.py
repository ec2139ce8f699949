"""Filters in words, as an answer and a standalone query say them."""

from collections.abc import Mapping, Sequence

from turnkeep_agents.products.catalogue.products import COLOURS, KINDS
from turnkeep_agents.products.filters import PRICE, Condition, Filters
from turnkeep_agents.products.reading.lexicon import roots
from turnkeep.records import JSON

_PRICE_WORDS: Mapping[str, str] = {"under": "under", "max": "up to", "over": "over", "min": "from", "about": "around"}
_NUMBER_WORDS: Mapping[str, str] = {
    "under": "under ",
    "max": "at most ",
    "over": "over ",
    "min": "at least ",
    "about": "",
}


def describe(filters: Filters) -> str:
    """A noun phrase in the plural: brands, what it is, colours, the price, and the rest in brackets."""
    others = [one for one in filters["conditions"] if one["attributes"] != [PRICE]]
    values = [one for one in others if one["op"] == "is"]
    kinds = [one["said"] for one in values if _is_about(one, KINDS)]
    colours = [one["said"] for one in values if _is_about(one, COLOURS)]
    uses = [one for one in values if one["attributes"][0].endswith(" for")]
    rest = [one["said"] for one in values if one not in uses and not _is_about(one, KINDS | COLOURS)]
    rest += [tell(one) for one in others if one["op"] != "is"]
    if kinds and not filters["categories"] and not kinds[-1].endswith("s"):
        kinds[-1] += "s"
    parts = [" or ".join(filters["brands"]), *kinds, _what(filters, kinds)]
    parts += [f"in {_listing(colours)}" if colours else "", _prices(filters)]
    parts += [f"{one['attributes'][0]} {one['said']}" for one in uses]
    parts += [f"({', '.join(rest)})" if rest else ""]
    parts += [f"not by {' or '.join(filters['not_brands'])}" if filters["not_brands"] else ""]
    parts += ["in stock" if filters["in_stock"] else ""]
    parts += [f"for {quoted(filters['words'])}" if filters["words"] else ""]
    return " ".join(filter(None, parts))


def quoted(said: Sequence[str]) -> str:
    """Words that are looked for one by one."""
    each = [f"“{word}”" for word in said]
    return " or ".join([", ".join(each[:-1]), each[-1]] if len(each) > 1 else each)


def _what(filters: Filters, kinds: list[str]) -> str:
    lines, categories = " or ".join(filters["lines"]), " or ".join(filters["categories"])
    if lines:
        return f"{categories} called “{lines}”" if categories else f"products called “{lines}”"
    return categories or ("" if kinds else "products")


def _prices(filters: Filters) -> str:
    conditions = [one for one in filters["conditions"] if one["attributes"] == [PRICE]]
    if [one["op"] for one in conditions] == ["min", "max"]:
        return f"between {conditions[0]['said']} and {conditions[1]['said']}"
    return " and ".join(map(tell, conditions))


def tell(condition: Condition) -> str:
    """A condition in a few words."""
    if condition["attributes"] == [PRICE]:
        return f"{_PRICE_WORDS[condition['op']]} {condition['said']}"
    if condition["op"] in ("is", "not"):
        return condition["said"] if condition["op"] == "is" else f"no {condition['said']}"
    return f"{condition['attributes'][0]} {_NUMBER_WORDS[condition['op']]}{condition['said']}"


def bounds_of(filters: Filters) -> str:
    """The conditions that hold a number."""
    return ", ".join(tell(one) for one in filters["conditions"] if one["op"] not in ("is", "not"))


def tell_filter(key: str, filters: Filters) -> str:
    """One filter by its key, as `misses` gives it."""
    if key.startswith("conditions."):
        return f"“{tell(filters['conditions'][int(key.partition('.')[2])])}”"
    by_key: Mapping[str, str] = {
        "categories": f"“{' or '.join(filters['categories'])}”",
        "brands": f"“{' or '.join(filters['brands'])}”",
        "not_brands": f"“not {' or '.join(filters['not_brands'])}”",
        "lines": f"“{' or '.join(filters['lines'])}”",
        "in_stock": "“in stock”",
    }
    return by_key[key]


def shown(filters: Filters) -> JSON:
    """What a client sees: only what was asked for."""
    plain: JSON = {name: value for name, value in filters.items() if value and name not in ("conditions", "order")}
    if filters["conditions"]:
        plain["conditions"] = [tell(condition) for condition in filters["conditions"]]
    if filters["order"]:
        plain["order"] = filters["order"]["said"]
    return plain


def _is_about(condition: Condition, attributes: frozenset[str]) -> bool:
    return any(set(roots(name)) & attributes for name in condition["attributes"])


def _listing(texts: list[str]) -> str:
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
