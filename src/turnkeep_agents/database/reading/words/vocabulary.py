"""English words that a question is put together from, and everyday words that mean much the same as others. What the
tables are about stands in the join graph, never here."""

from turnkeep_agents.database.reading.words.stems import root, singular
from turnkeep.blocks.grammar import word_class

ARTICLES = word_class("a an the any some all our my your their his her its this that these those each every both")
AUXILIARIES = word_class(
    "is are was were be been being am do does did done has have had having can could will would shall should may might"
    " must get gets got"
)
PREPOSITIONS = word_class(
    "of in on at by for from with without to about per via as than into within under over between across among through"
    " during since until till before after around near against except excluding including"
)
FUNCTION_WORDS = (
    ARTICLES
    | AUXILIARIES
    | PREPOSITIONS
    | word_class(
        """
        i me we us you he she it they them who whom whose which what when where why how and or but not no nor neither if
        then there here also too just only still yet please so more most less least fewer fewest many much few than
        as other another such same one ones s t yes ok okay now currently today ever never again together instead out
        up down off back very really exactly actually right much well like let lets want wants need needs would wish
        know tell show shows list lists give gives find display get fetch see look count number total average mean sum
        top bottom non none first last next previous highest lowest biggest smallest largest newest oldest latest
        earliest maximum minimum
        max min different distinct unique various individual respective name names named called new hi hello hey thanks
        thank question quick could table tables database record records row rows entry entries data information info
        details detail overview breakdown summary figures stats statistics report me us exist exists
        """
    )
) - word_class("report entry record detail")
"""Words that are never unread and on their own name nothing but what the schema calls so."""

NAMELESS = word_class(
    """
    total general detail full order particular case fact time once short order advance progress average addition
    example instance everything everyone anyone someone anything something nothing system database company moment
    begin beginning start end far date moment record past future
    """
)
"""What stands behind a preposition and is nobody's name."""

NUMBERS = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "hundred": 100, "dozen": 12, "thousand": 1000}

_ALIKE = """
employee staff worker personnel workforce colleague people person teammate
customer client account buyer
supplier vendor
invoice bill
work_order job ticket task
job work_order order assignment
product item article part good
part material item
vehicle car truck van
phone telephone mobile cell
email mail
town city
postcode zip postal_code zip_code
position job_title role occupation trade title
salary wage pay earning
price cost amount rate
cost amount price total expense
amount total value price sum balance
revenue amount total turnover sale income
value amount total
hour duration
duration hour minute length
kind type category
type kind category
category type
state status
status state stage
region area territory district zone
branch office depot
office branch depot
site location property premise
location site address place
team crew group squad
crew team
department division
manager supervisor lead
supervisor manager boss
superior boss supervisor manager
doctor physician provider
patient client
appointment visit booking
holiday vacation leave absence
absence leave
birthday birth
skill certification qualification
contact contact_person
photo picture image
comment note remark
severity priority
urgency priority
stock quantity inventory
warehouse depot store
manufacturer maker brand
serial serial_number
payment receipt
quote estimate quotation
estimate quote quotation
equipment asset machine device unit
asset equipment
machine equipment asset
member person customer
person employee staff member customer
reader member borrower
folk person employee staff member customer
guy person employee staff member
lad person employee staff member
soul person employee staff member
gear tool equipment
kit tool equipment
ride vehicle trip
deal contract agreement order
gripe complaint
breakage defect damage
mishap incident accident
author writer
"""
ALIKE: dict[str, tuple[tuple[str, ...], ...]] = {}
for _line in _ALIKE.split("\n"):
    if _line:
        _first, *_others = (tuple(_word.split("_")) for _word in _line.split())
        ALIKE[" ".join(_first)] = tuple(_others)
"""For a word, in the singular, others that a schema may use in its place."""

STATES: tuple[frozenset[str], ...] = tuple(
    frozenset(map(root, line.split()))
    for line in (
        "completed complete done finished closed fulfilled resolved",
        "open outstanding pending unresolved",
        "cancelled canceled aborted withdrawn",
        "active current enabled",
        "inactive former terminated disabled retired",
        "ongoing progress started underway running",
        "urgent critical emergency high",
        "passed successful ok pass succeeded",
        "failed fail unsuccessful",
        "paid settled",
        "declined rejected refused denied",
        "approved accepted granted",
        "planned scheduled booked upcoming",
        "late overdue delayed",
        "damaged broken faulty defective",
        "submitted pending awaiting",
        "illness sickness sick ill",
        "returned handed",
    )
)
"""States that are told with one or another of these words."""

OPPOSITE_STATES = tuple(
    (frozenset(map(root, one.split())), frozenset(map(root, other.split())))
    for one, other in (
        ("failed fail failure unsuccessful failing", "successful success succeeded passed ok"),
        ("refused rejected declined", "accepted approved"),
        ("incomplete unfinished", "complete completed"),
        ("absent missing", "present"),
        ("unread", "read"),
    )
)
"""Words that deny a yes or no that bears one of the others."""

UNFINISHED = frozenset(map(root, word_class("open outstanding pending unfinished unresolved ongoing current")))
"""Words for all states that are not final, where no state bears the word."""

FINAL_STATES = frozenset(
    map(
        root,
        [
            "completed",
            "done",
            "closed",
            "finished",
            "cancelled",
            "canceled",
            "resolved",
            "paid",
            "settled",
            "void",
            "returned",
            "invoiced",
            "won",
            "lost",
            "rejected",
            "declined",
            "expired",
            "passed",
            "failed",
            "delivered",
            "received",
            "accepted",
            "disbanded",
            "terminated",
            "skipped",
        ],
    )
)
"""States after which nothing is late any more."""

OPPOSITES = ("un", "non", "in", "im", "dis")

MONEY = word_class("amount total price cost value balance fee revenue salary wage rate subtotal")
TIME_SPENT = word_class("hour minute duration length day")
GUESSED = word_class("estimated planned expected budgeted quoted")
"""Of figures that nobody has paid."""

SIZES = word_class("quantity size amount total area capacity count stock weight volume number hour value")

QUALITIES: dict[str, tuple[str, frozenset[str]]] = {
    word: (direction, frozenset(map(singular, columns)))
    for words, direction, columns in (
        ("newest latest youngest freshest", "descending", ["date"]),
        ("oldest earliest", "ascending", ["date"]),
        ("cheapest", "ascending", MONEY),
        ("costliest priciest dearest", "descending", MONEY),
        ("longest", "descending", TIME_SPENT),
        ("shortest quickest fastest", "ascending", TIME_SPENT),
        ("largest biggest greatest", "descending", SIZES),
        ("smallest", "ascending", SIZES),
        ("heaviest", "descending", frozenset(["weight", "mass"])),
        ("lightest", "ascending", frozenset(["weight", "mass"])),
        ("highest best top maximum max", "descending", frozenset()),
        ("lowest worst minimum min bottom", "ascending", frozenset()),
    )
    for word in words.split()
}
"""Superlatives: which way they sort, and by columns of which names; none where the noun behind it says it."""


def is_function_word(word: str) -> bool:
    return word in FUNCTION_WORDS


RATES = word_class("rate price percent percentage score rating level age rank weight latitude longitude limit odometer")
"""Figures that are averaged where others are summed."""

IDLE = word_class(
    """
    live lives living working come comes belong belongs belonging located based happen happened happening exist go goes
    went going use using take took taken place been made do run existed involve involved involving contain concern
    registered recorded stored kept held stand stands say says call called carry carried handle responsible person
    anyone anybody somebody someone company business ours mine euros dollars pounds worth sum amount amounts figure
    figures value values people one thing things stuff break split group grouped sorted sort rank ranked divided
    broken separate separately altogether overall combined still whole entire full current currently recently lately so
    far actually exactly please thanks per each every by respectively including include excluding exclude except only
    just belongs employ employed ones did anything nothing number numbers amounting totalling spend spent
    spends money logged log earn earned look looks looked looking after own owns owned gave give given know knows doing
    """
)
"""Words that say nothing of their own beside what is understood; never unread."""
