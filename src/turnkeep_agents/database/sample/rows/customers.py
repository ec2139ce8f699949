"""Rows of customers, their sites and contacts, and of leads."""

from collections.abc import Iterator

from turnkeep_agents.database.sample.rows.clients import CONTACTS, SITES, Customer
from turnkeep_agents.database.sample.rows.dice import at, iso, mix, pick
from turnkeep_agents.database.sample.rows.names import (
    CENTRES,
    FIRM_KINDS,
    FIRMS,
    FIRST_NAMES,
    LAST_NAMES,
    POSTCODES,
    STREETS,
    TOWNS,
    mailbox,
    phone,
)
from turnkeep_agents.database.sample.rows.shapes import Pieces, Row
from turnkeep_agents.database.sample.rows.world import FOUNDED, World

TAGS = ("key account", "new", "slow payer", "night work", "needs escort", "green energy")
HOUSEHOLDS, HOUSE = 9, 8
_SITE_NAMES = ("Head Office", "Annexe", "Warehouse")
_ACCESS = ("Key in the box by the door.", "Ring the caretaker.", "Badge at the desk.", "Gate is shut after six.")
_NOTES = ("Pays late, be patient.", "Wants to be called before every visit.", "Dog on the premises.")
_REMARKS = (
    "Called about the next visit.", "Asked for an offer.", "Was pleased with the crew.", "Wants fewer mails.",
    "New person in charge.",
)  # fmt: skip


def customers(world: World) -> Iterator[Pieces]:
    all_of_them, last = world.clients.customers, world.last
    yield (
        "territory",
        [
            (number, f"{name} territory", number, world.staff.one("sales", number, last).id, FOUNDED)
            for number, name in enumerate(("North", "South West", "Scotland", "East", "Wales"), 1)
        ],
    )
    yield "customer", [_customer(one, world) for one in all_of_them]
    yield "customerLocation", [_location(one, place) for one in all_of_them for place in range(one.sites)]
    yield "customerContact", [_contact(one, place) for one in all_of_them for place in range(CONTACTS)]
    yield (
        "customerTag",
        [
            (number, name, color, FOUNDED)
            for number, (name, color) in enumerate(
                zip(TAGS, ("gold", "green", "red", "blue", "grey", "lime"), strict=True), 1
            )
        ],
    )
    yield (
        "customerTagLink",
        [
            (one.id, tag, at(one.since))
            for one in all_of_them
            for tag in sorted({mix(one.id, 91 + at_) % len(TAGS) + 1 for at_ in range(one.id % 3)})
        ],
    )
    yield "customerNote", [_note(day, world) for day in world.busy_days if mix(day, 92) % 3 == 0]
    yield "lead", [_lead(day, world) for day in world.busy_days if mix(day, 93) % 2]


def price_list(customer: Customer) -> int:
    """0 for those who pay list prices."""
    return mix(customer.id, 94) % 3 + 1 if customer.id % 5 == 0 else 0


def payment_term(customer: Customer) -> int:
    return 1 if customer.is_private else 1 + mix(customer.id, 95) % 4


def _customer(one: Customer, world: World) -> Row:
    roll = mix(one.id, 96)
    return (
        one.id,
        f"C{one.id:05d}",
        one.name,
        _mail(one),
        phone(one.id * 3),
        f"{1 + roll % 160} {pick(STREETS, roll >> 8)}",
        pick(TOWNS[one.region], roll >> 12),
        f"{POSTCODES[one.region]}{1 + roll % 19} {1 + roll % 9}AB",
        one.region,
        HOUSEHOLDS if one.is_private else 1 + (roll >> 16) % (HOUSEHOLDS - 1),
        one.region,
        world.staff.one("sales", one.id, world.last).id if one.id % 7 else None,
        payment_term(one),
        price_list(one) or None,
        "private" if one.is_private else "public" if (roll >> 20) % 4 == 0 else "business",
        _status(one, world.last),
        iso(one.since),
        500 + (roll >> 24) % 40 * 250,
        pick(_NOTES, roll >> 30) if roll % 6 == 0 else None,
        at(one.since, 600),
    )


def _mail(one: Customer) -> str:
    if one.is_private:
        return mailbox(one.name, str(one.id), domain="mail.example")
    return mailbox(
        "office", str(one.id), domain=f"{mailbox(one.name.split()[0], domain='x').partition('@')[0]}.example"
    )


def _status(one: Customer, last: int) -> str:
    if one.left <= last:
        return "former"
    if one.since > last - 20:
        return "prospect"
    return "on_hold" if mix(one.id, 97) % 29 == 0 else "active"


def _location(one: Customer, place: int) -> Row:
    number = one.id * SITES + place
    roll = mix(number, 98)
    north, east = CENTRES[one.region]
    name = "Home" if one.is_private and place == 0 else _SITE_NAMES[place]
    return (
        number,
        one.id,
        HOUSE if one.is_private else 1 + roll % (HOUSE - 1),
        one.region,
        f"{one.name}, {name}",
        f"{1 + roll % 140} {pick(STREETS, roll >> 8)}",
        pick(TOWNS[one.region], roll >> 12),
        f"{POSTCODES[one.region]}{1 + roll % 19} {1 + (roll >> 4) % 9}CD",
        round(north + (roll >> 16) % 2000 / 10_000 - 0.1, 6),
        round(east + (roll >> 28) % 2000 / 10_000 - 0.1, 6),
        1 + (roll >> 40) % 9 if roll % 4 else None,
        int(roll % 20 != 0),
        pick(_ACCESS, roll >> 44) if roll % 3 == 0 else None,
        at(one.since, 610),
    )


def _contact(one: Customer, place: int) -> Row:
    number = one.id * CONTACTS + place
    roll = mix(number, 99)
    first, last = pick(FIRST_NAMES, roll), pick(LAST_NAMES, roll >> 8)
    site = one.site(roll >> 16) if roll % 3 == 0 else None
    role = "owner" if place == 0 else pick(("manager", "caretaker", "accounting", "reception"), roll >> 20)
    mail = mailbox(first, last, domain="contact.example")
    return number, one.id, site, first, last, mail, phone(number * 11), role, int(place == 0), at(one.since, 620)


def _note(day: int, world: World) -> Row:
    roll = mix(day, 101)
    one, author = world.clients.at(roll, day), world.staff.clerk(roll >> 8, day)
    when = at(day, 600 + roll % 300)
    return day - 730_000, one.id, author.user, pick(_REMARKS, roll >> 16), when, when


def _lead(day: int, world: World) -> Row:
    roll = mix(day, 102)
    closed = day + 5 + (roll >> 8) % 60
    is_won, is_closed = (roll >> 16) % 3 == 0, closed <= world.last
    age = world.last - day
    open_state = "new" if age < 3 else "contacted" if age < 15 else "qualified"
    customer = world.clients.at(roll >> 20, closed).id if is_won and is_closed else None
    name = f"{pick(FIRMS, roll >> 24)} {pick(FIRM_KINDS, roll >> 30)}"
    seller = world.staff.one("sales", roll >> 36, day).id if age >= 1 else None
    return (
        day - 730_000,
        1 + (roll >> 40) % 5,
        1 + (roll >> 44) % 5,
        seller,
        customer,
        name,
        ("won" if is_won else "lost") if is_closed else open_state,
        500 + (roll >> 48) % 120 * 250,
        iso(day),
        iso(closed) if is_closed else None,
        at(day, 700),
    )
