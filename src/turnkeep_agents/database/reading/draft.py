"""What one line of a conversation says so far, while its rules run one after the other."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date

from turnkeep_agents.database.reading.asked import Absence, Asked, Condition, Field, Grain, Measure, Period, Test
from turnkeep_agents.database.reading.ground import Ground
from turnkeep_agents.database.reading.profiles import NUMERIC, Profile
from turnkeep_agents.database.reading.words.lexicon import Meaning
from turnkeep_agents.database.reading.words.lines import Line, Mention


@dataclass
class Draft:
    """The fields of Asked, each empty where the line does not say it. `beside` are further tables that the line is
    about; `lost` are words that a rule has taken out of it and made nothing of. `look` is 1 where names are looked for
    in the next place; `is_of_row` where the line asks for a column of the row that it names."""

    ground: Ground
    line: Line
    today: date
    allowed: Collection[str] | None
    before: Asked | None = None
    look: int = 0
    is_of_row: bool = False
    subject: str | None = None
    beside: list[str] = field(default_factory=list)
    measure: Measure | None = None
    of: Field | None = None
    less: Field | None = None
    sums: tuple[Mention, Test, float] | None = None
    over: Measure | None = None
    second: Mention | None = None
    is_compared: bool = False
    further: list[tuple[Measure, Mention | None]] = field(default_factory=list)
    is_distinct: bool = False
    is_list: bool = False
    is_whole: bool = False
    shown: list[Field] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    period: Period | None = None
    absences: list[Absence] = field(default_factory=list)
    groups: list[Field] = field(default_factory=list)
    group_items: list[Mention] = field(default_factory=list)
    grain: Grain | None = None
    order: str | None = None
    order_item: Mention | None = None
    order_by: Field | None = None
    limit: int | None = None
    quality: str = ""
    keep: Condition | None = None
    dated: list[Mention] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    @property
    def anchors(self) -> list[str]:
        """The tables that columns are looked for near, the subject first."""
        return [*([self.subject] if self.subject else []), *self.beside]

    @property
    def profile(self) -> Profile:
        return self.ground.profiles[self.subject or ""]

    def nearest(
        self, mention: Mention, *sorts: str, near: Sequence[str] = (), kinds: Collection[str] = ()
    ) -> Meaning | None:
        """The column or value that the mention means, seen from the subject or from other tables."""
        fits = (lambda one: self.kind_of(one) in kinds) if kinds else (lambda one: True)
        return self.ground.nearest(mention.of(*sorts), near or self.anchors, fits)

    def kind_of(self, one: Meaning) -> str:
        profile = self.ground.profiles[one.table]
        kind = profile.kinds.get(one.column, "")
        return "key" if kind in NUMERIC and one.column not in profile.measures else kind

    def is_allowed(self, table: str) -> bool:
        return self.allowed is None or table in self.allowed

    def via(self, one: Meaning) -> Field | None:
        """The label of the table that a link column points at, reached through it."""
        link = self.ground.profiles[one.table].links.get(one.column)
        if link is None or not self.is_allowed(link.to_table):
            return None
        via = self.ground.via(self.subject or "", link.to_table, one.column) if one.table == self.subject else ""
        return self.ground.label(link.to_table, via)[0]
