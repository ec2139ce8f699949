"""Checks a reply against known facts, sentence by sentence. A figure may be copied, rounded or computed from known
ones. A price next to a thing must be that thing's. The user's own numbers may be quoted, not used for results. Numbers
in words are ignored. A computed figure may have any operands, but only if few figures match by chance: the more distant
its operands, the fewer figures of its form may follow from them."""

from collections.abc import Iterator, Sequence
from itertools import chain, compress

from turnkeep.kit.figures import SIZE, Figure, Reader, Row
from turnkeep.kit.reckoning import computed, equals, is_narrow, is_same, may_be, of_group, of_pairs
from turnkeep.kit.sources import Known, Named, Sources, Unit, is_small, tight

__all__ = ["Sources", "Verifier"]

TIMES = range(1, 13)
PERIODS = (1, 7, 28, 29, 30, 31, 365)  # days of projections: "at this rate £62,866 in all of November"
FEW = 6  # figures of a line or row that belong together: "£13,500 of £13,800"

# The largest share of the figures of a form that may match: from figures that the reply has just quoted; from one such
# figure and its neighbours or named rows; from all known figures.
QUOTED_SHARE, NEIGHBOUR_SHARE, ANY_SHARE = 0.02, 0.02, 0.005

UNKNOWN = "stands nowhere in what was found and follows from nothing there"
OWN = "is the user's own number: quote it beside a figure that was found, or leave it out"


class Verifier:
    """A Judge that checks a unit against the sources and the units accepted before it."""

    def __init__(self, sources: Sources):
        self._sources, self._known = sources, Known(sources)
        names = [*self._known.labels, *sources.prices]
        self._reader = Reader(sources.language, names, self._known.days)
        lengths = {(last - first).days + 1 for first, last in sources.days} if sources.days else set()
        self._rates = [days / length for length in lengths for days in PERIODS if length > 1]
        self._before = [self._read(text) for text in sources.asked]

    def problems(self, unit: str) -> list[str]:
        sentence = self._read(unit)
        dates = [each.text for each in self._reader.dates(unit) if not self._known.has_day(each)]
        sizes = [found[0] for found in SIZE.finditer(unit) if tight(found[0]) not in self._known.sizes]
        figures = [f"{each.written} {why}" for each in sentence.figures if (why := self._why(each, sentence))]
        return [*(f"{each} was named by nobody" for each in (*dates, *sizes)), *figures]

    def accept(self, unit: str) -> str:
        sentence = self._read(unit)
        if sentence.figures or sentence.labels or sentence.things:
            self._before.append(sentence)
        return unit

    def _read(self, unit: str) -> Unit:
        named = self._reader.named(unit)
        things = [(at, name) for at, name in named if name in self._sources.prices]
        labels = [(at, name) for at, name in named if name.casefold() in self._known.rows]
        return Unit(unit, self._reader.read(unit), things, labels)

    def _why(self, figure: Figure, sentence: Unit) -> str | None:
        if self._is_price(figure, sentence):
            return None
        is_amount = bool(sentence.things) and figure.unit not in ("", "%")
        if wrong := self._mispriced(figure, sentence) if is_amount else self._misattributed(figure, sentence):
            return wrong
        is_limit = figure.unit not in ("", "%") and equals(figure, self._sources.limits)  # "$400" for "400 euro"
        is_whole = figure.unit == "%" and figure.values[0] == 100  # "around 100 % is on track"
        if is_limit or is_whole or self._is_count(figure, sentence):
            return None
        if self._is_known(figure, sentence) or self._is_of_dates(figure, sentence):
            return None
        if self._is_own(figure):
            return None if self._is_quoted(figure, sentence) else OWN
        return None if self._is_computed(figure, sentence) else UNKNOWN

    # Prices of things

    def _is_price(self, figure: Figure, sentence: Unit) -> bool:
        """Accept a price, a multiple, the sum of all named things; a difference only if both sides are present."""
        if not sentence.things or figure.unit != self._sources.currency:
            return False
        prices, like = self._sources.prices, sentence.like(figure)
        named = [prices[name] for name in dict.fromkeys(name for _, name in sentence.things)]
        price = prices[_owner(figure, like, sentence.things)]
        multiples, differences = [price * count for count in TIMES], [abs(price - other) for other in named]
        return equals(figure, [sum(named), *multiples, *filter(None, differences)], is_exact=True)

    def _mispriced(self, figure: Figure, sentence: Unit) -> str | None:
        """Return the problem unless the first amount next to a thing is its price. A limit or computed amount may
        precede: "Up to $900 the lightest is the Swift Go ($849)", "It is $80 cheaper than the Tab A9 ($169)"."""
        like = sentence.like(figure)
        owner = _owner(figure, like, sentence.things)
        right = [each for each in like if each != figure and self._is_price(each, sentence)]
        if any(each.at < figure.at and owner == _owner(each, like, sentence.things) for each in right):
            return None
        if right and figure.at < sentence.things[0][0]:
            is_limit = equals(figure, self._sources.limits)
            if is_limit or (not self._is_own(figure) and self._is_computed(figure, sentence)):
                return None
        costs = f"{self._sources.prices[owner]:,.2f}"
        return f"stands beside {owner}, which costs {costs}: name that price first"

    # Figures of rows

    def _misattributed(self, figure: Figure, sentence: Unit) -> str | None:
        """Return the problem if a row's figure is given to another: "Quiz costs £18.40 a sale", which is Brightway's.
        In a table row each figure is checked, in a sentence the first of its unit. If a sentence names several rows,
        any of them may match: "Quiz has the best CVR after Brightway (2.89 %), 2.62 %"."""
        rows = self._owned(figure, sentence)
        named = [row for _, label in sentence.labels for row in self._rows_of(label)]
        if not rows or _stands_in(figure, named):
            return None
        if not sentence.is_row and any(each.at < figure.at for each in sentence.like(figure)):
            return None
        alike = [each for each in self._known.figures if is_same(figure, each.figure)]
        found = [each for each in alike if equals(figure, each.figure.values, is_exact=True)] or alike
        tables = {at for at, _ in rows}
        if not found or any(each.table not in tables for each in found) or is_small(figure) or self._is_own(figure):
            return None
        before = [row for near in self._before[-1:] for _, label in near.labels for row in self._rows_of(label)]
        is_compared = _stands_in(figure, before) and any(
            _stands_in(each, [row for _, row in rows]) for each in sentence.like(figure)
        )  # "its rating is lower (4.1 against 4.4)", about the thing named before
        return None if is_compared else f"is told of {found[0].label}, not of {rows[0][1].label}"

    def _rows_of(self, label: str) -> list[Row]:
        return [row for _, row in self._known.rows[label.casefold()]]

    def _owned(self, figure: Figure, sentence: Unit) -> list[tuple[int, Row]]:
        if not sentence.labels:
            return []
        return self._known.rows[_owner(figure, sentence.like(figure), sentence.labels).casefold()]

    # Allowed figures

    def _is_count(self, figure: Figure, sentence: Unit) -> bool:
        """Accept whole numbers in a question. Elsewhere accept small ones, unless the one thing named has another."""
        if not is_small(figure) or not self._sources.has_counts:
            return figure.is_whole and sentence.is_question
        rows = self._owned(figure, sentence) if len({name for _, name in sentence.labels}) == 1 else []
        own = [each for _, row in rows for each in row.figures if is_small(each)]
        return not own or any(is_same(each, one) for each in sentence.like(figure) for one in own)

    def _is_known(self, figure: Figure, sentence: Unit) -> bool:
        """Accept a copied figure; a rounded one if the named thing has it."""
        values = [value for each in self._known.figures if may_be(figure, each.figure) for value in each.figure.values]
        is_owned = _stands_in(figure, [row for _, row in self._owned(figure, sentence)])
        return is_owned or equals(figure, values, is_exact=True)

    def _is_of_dates(self, figure: Figure, sentence: Unit) -> bool:
        """Accept a year or day of known facts, or the days of a period that a projection covers."""
        if figure.is_whole and figure.values[0] in PERIODS and len(sentence.figures) > 1:
            return True
        years = {day.year for span in self._known.days for day in span}
        days = {day.day for span in self._sources.days for day in span}  # "(until the 21st)"
        return not figure.unit and bool((years | days) & set(figure.values))

    def _is_own(self, figure: Figure) -> bool:
        return any(is_same(figure, each) for each in self._known.asked)

    def _is_quoted(self, figure: Figure, sentence: Unit) -> bool:
        """Accept a number of the user in a question, as a limit, next to a found figure of its unit, or in a result."""
        if sentence.is_question or equals(figure, self._sources.limits):
            return True
        others = [each for each in sentence.figures if each != figure and not is_small(each)]
        known = {each for each in others if self._is_known(each, sentence)}
        has_neighbour = any(each.unit == figure.unit for each in known)
        return has_neighbour or any(self._is_computed(each, sentence) for each in others if each not in known)

    # Computed figures

    def _is_computed(self, figure: Figure, sentence: Unit) -> bool:
        """Accept by the nearest operands that lead to it; if much else follows from them too, it is chance."""
        for values, share in self._levels(figure, sentence):
            found = list(values)
            if equals(figure, found):
                return is_narrow(figure, found, share)
        return False

    def _levels(self, figure: Figure, sentence: Unit) -> Iterator[tuple[Iterator[float], float]]:
        unit, quoted = figure.unit, self._quoted(figure, sentence)
        two = [each for kind in {e.unit for e in quoted} for each in [e for e in quoted if e.unit == kind][:2]]
        yield of_group(two, unit), 1.0  # the two nearest of each unit
        things = dict.fromkeys(name for each in (*self._before[-1:], sentence) for _, name in each.things)
        amounts = [computed(self._sources.prices[name], self._sources.currency) for name in things]
        yield of_group(amounts, unit), 1.0 if len(amounts) < 3 else QUOTED_SHARE
        yield of_group(quoted, unit), QUOTED_SHARE
        labels = {label for _, label in sentence.labels}
        yield self._of_neighbours(quoted, labels, unit), NEIGHBOUR_SHARE
        alike = [each.figure for each in self._known.figures if each.figure.unit == unit]
        projected = (each.values[0] * by for each in alike for by in self._rates)
        yield chain(self._known.anything(unit), projected), ANY_SHARE

    def _quoted(self, figure: Figure, sentence: Unit) -> list[Figure]:
        """Return figures before it and known figures after it, nearest first; then those of the two units before (for a
        table row, before the table); then the user's own."""
        others = [each for each in sentence.figures if each.at != figure.at]
        right = [one.at < figure.at or self._is_known(one, sentence) or self._is_price(one, sentence) for one in others]
        here = list(compress(others, right))
        here.sort(key=lambda each: abs(each.at - figure.at))
        earlier = [each for each in self._before if not each.is_row] if sentence.is_row else self._before
        before = [each for near in earlier[:-3:-1] for each in reversed(near.figures)]
        return [*here, *before, *self._known.asked]

    def _of_neighbours(self, quoted: Sequence[Figure], labels: set[str], unit: str) -> Iterator[float]:
        """Yield results of a quoted figure and its line or row, and of the named rows and the sums of their columns."""
        for line in (line for line in self._known.all_lines() if len(line) <= FEW):
            ours = [each for each in line if any(is_same(one, each) for one in quoted)]
            yield from of_pairs(((one, other) for one in ours for other in line if other != one), unit)
        prices = [price for name, price in self._sources.prices.items() if name.casefold() in self._known.rows]
        found = [computed(price, self._sources.currency) for price in prices]
        yield from of_pairs(((one, other) for one in quoted if one.unit == unit for other in found), unit)
        for column in self._known.columns:
            whole = computed(sum(each.values[0] for _, each in column), column[0][1].unit)
            named = [each for label, each in column if label in labels]
            yield from of_pairs(((one, other) for one in named for other in (whole, *named)), unit)


def _owner(figure: Figure, like: Sequence[Figure], named: Named) -> str:
    """Return the thing that a figure belongs to: the one named before it ("A costs $499"), in order after several ("A
    and B cost $499 and $149"), else the first ("$499 for A")."""
    before, after = ([each for each in named if (each[0] < figure.at) is is_before] for is_before in (True, False))
    if not before:
        return after[0][1]
    start = max((each.at for each in like if each.at < before[-1][0]), default=-1)
    run = [name for at, name in before if at > start]
    behind = [each for each in like if before[-1][0] < each.at and (not after or each.at < after[0][0])]
    return run[behind.index(figure)] if len(run) == len(behind) else run[-1]


def _stands_in(figure: Figure, rows: Sequence[Row]) -> bool:
    return any(is_same(figure, each) for row in rows for each in row.figures)
