"""Who works for a company, when. A place in the company is held by one person after the other, for years each, so that
people come and go for ever; a figure of a day names the place, and `Staff` says who held it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from turnkeep_agents.database.sample.rows.dice import at, day_of, mix, pick
from turnkeep_agents.database.sample.rows.names import FIRST_NAMES, LAST_NAMES

PLACES = 200
"""More than any company has, so that the ids of successors stay apart."""
USERS_FROM = 5_000
SYSTEM_USER = 1
FIELD = ("technician", "apprentice", "foreman")
OFFICE = ("dispatcher", "accountant", "storekeeper", "sales", "manager")
DEPARTMENTS = ("operations", "inspection", "sales", "finance", "logistics", "training")
DEPARTMENT_OF = {"inspector": 2, "estimator": 3, "sales": 3, "accountant": 4, "storekeeper": 5, "trainer": 6}
BRANCHES = 5
CREWLESS_TECHNICIANS, STANDBY_CREWS, DISBANDED_CREWS = 5, 2, 2
LEAVE_DAYS = 60


@dataclass(frozen=True, slots=True)
class Person:
    """`left` is the last day of work; it may lie ahead."""

    id: int
    place: int
    position: str
    hired: int
    left: int
    crew: int

    @property
    def user(self) -> int:
        return USERS_FROM + self.id

    @property
    def hired_at(self) -> str:
        return at(self.hired, 0)

    @property
    def first_name(self) -> str:
        return pick(FIRST_NAMES, mix(self.id, 11))

    @property
    def last_name(self) -> str:
        return pick(LAST_NAMES, mix(self.id, 12))

    @property
    def is_field(self) -> bool:
        return self.position in FIELD


class Staff:
    """Everybody who worked for a company between two days. `positions` says how many places there are of each."""

    def __init__(self, positions: Mapping[str, int], crews: int, first: int, last: int):
        self._positions = [name for name, count in positions.items() for _ in range(count)]
        self.crews, self.first, self.last = crews, first, last
        self._turns = [_turns(place) for place in range(len(self._positions))]
        self._people: dict[int, Person] = {}

    @cached_property
    def people(self) -> Sequence[Person]:
        """In the order of their ids."""
        found = []
        for place in range(len(self._positions)):
            begun, length = self._turns[place]
            generations = range((self.first - begun) // length, (self.last - begun) // length + 1)
            found += [self._person(place, generation) for generation in generations]
        return sorted(found, key=lambda person: person.id)

    @cached_property
    def places(self) -> Mapping[str, range]:
        """The places of each position, which lie side by side."""
        ends = {name: place for place, name in enumerate(self._positions)}
        return {name: range(self._positions.index(name), end + 1) for name, end in ends.items()}

    @cached_property
    def field_places(self) -> Sequence[int]:
        return [place for name in FIELD for place in self.places[name]]

    @cached_property
    def _office_places(self) -> Sequence[int]:
        return [place for name in OFFICE for place in self.places[name]]

    @cached_property
    def active_crews(self) -> int:
        return self.crews - min(STANDBY_CREWS + DISBANDED_CREWS, self.crews - 1)

    def at(self, place: int, day: int) -> Person:
        """Who held a place on that day. Nobody knows who will hold it, nor who did before the first day."""
        begun, length = self._turns[place]
        return self._person(place, (max(self.first, min(day, self.last)) - begun) // length)

    def one(self, position: str, roll: int, day: int) -> Person:
        """Some holder of a position on that day."""
        return self.at(pick(self.places[position], roll), day)

    def clerk(self, roll: int, day: int) -> Person:
        """Some member of the office on that day."""
        return self.at(pick(self._office_places, roll), day)

    def crew_members(self, crew: int, day: int) -> Sequence[Person]:
        """The technicians of a crew who were at work on that day, its lead first; all of them if none was."""
        members = [self.at(place, day) for place in self._technicians[crew]]
        return [person for person in members if not is_away(person.place, day)] or members

    @cached_property
    def _technicians(self) -> Mapping[int, Sequence[int]]:
        places = self.places["technician"]
        return {crew: [place for place in places if self._crew_of(place) == crew] for crew in range(1, self.crews + 1)}

    def _person(self, place: int, generation: int) -> Person:
        number = place + 1 + PLACES * generation
        if number not in self._people:
            begun, length = self._turns[place]
            hired = begun + generation * length
            crew = self._crew_of(place)
            self._people[number] = Person(number, place, self._positions[place], hired, hired + length - 1, crew)
        return self._people[number]

    def _crew_of(self, place: int) -> int:
        """0 for those who are in none."""
        position, at = self._positions[place], place - self.places[self._positions[place]].start
        if position == "apprentice":
            return at % self.active_crews + 1
        rest = len(self.places["technician"]) - at - CREWLESS_TECHNICIANS
        if position != "technician" or rest <= 0:
            return 0
        standby = min(STANDBY_CREWS, self.crews - self.active_crews)
        return self.active_crews + rest if rest <= standby else at % self.active_crews + 1


def _turns(place: int) -> tuple[int, int]:
    """When the first holder of a place came, and how many days each stays."""
    return day_of(2012, 1, 1) + mix(place, 1) % 1500, 900 + mix(place, 2) % 3000


def is_on_leave(place: int, day: int) -> bool:
    """For two months, now and then."""
    return (day // LEAVE_DAYS + place * 5) % 19 == 3


def is_suspended(place: int, day: int) -> bool:
    return (day // LEAVE_DAYS + place * 3) % 61 == 7 and not is_on_leave(place, day)


def is_away(place: int, day: int) -> bool:
    return is_on_leave(place, day) or is_suspended(place, day)


def branch_of(person: Person) -> int:
    return (person.crew or person.place) % BRANCHES + 1
