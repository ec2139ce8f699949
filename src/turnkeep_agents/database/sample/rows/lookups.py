"""The short lists that all companies share. Ids count from 1 in the order given."""

from collections.abc import Collection, Iterator, Mapping

from turnkeep_agents.database.sample.rows.dice import day_of, first_of, iso, month_of
from turnkeep_agents.database.sample.rows.shapes import Pieces, Row

COMPANY, CANARY = 1, 2

_LISTS: Mapping[str, tuple[Row, ...]] = {
    "currency": (("GBP", "pound sterling"), ("EUR", "euro"), ("USD", "US dollar"), ("NOK", "Norwegian krone")),
    "region": (("North", "GB"), ("South West", "GB"), ("Scotland", "GB"), ("East", "GB"), ("Wales", "GB")),
    "skill": (
        ("wiring", "electrical"), ("switchgear", "electrical"), ("solar panels", "electrical"),
        ("pipe fitting", "plumbing"), ("drainage", "plumbing"), ("boiler repair", "hvac"),
        ("air conditioning", "hvac"), ("heat pumps", "hvac"), ("sprinklers", "fire"), ("fire alarms", "fire"),
        ("access control", "security"), ("video surveillance", "security"), ("working at height", "general"),
        ("first aid", "general"),
    ),
    "jobGrade": (("trainee", 1, 11.5), ("junior", 2, 14), ("skilled", 3, 17.5), ("senior", 4, 22), ("master", 5, 27)),
    "absenceType": (("annual leave", 1), ("illness", 1), ("parental leave", 1), ("unpaid leave", 0), ("training", 1)),
    "industry": (
        ("retail",), ("education",), ("health care",), ("hospitality",), ("manufacturing",), ("logistics",),
        ("real estate",), ("public administration",), ("households",),
    ),
    "locationType": (
        ("office",), ("shop",), ("school",), ("hospital",), ("hotel",), ("factory",), ("store hall",), ("house",),
    ),
    "leadSource": (("website",), ("referral",), ("trade fair",), ("phone",), ("partner",)),
    "workOrderType": (
        ("installation", 1), ("repair", 0), ("maintenance", 1), ("inspection visit", 1), ("callout", 0),
        ("upgrade", 1),
    ),
    "priority": (("emergency", 1, 4), ("high", 2, 24), ("normal", 3, 72), ("low", 4, 240)),
    "cancellationReason": (("customer withdrew",), ("no access",), ("parts missing",), ("duplicate",), ("weather",)),
    "workTimeType": (("on site", 1), ("travel", 1), ("office", 0), ("course", 0)),
    "assetCategory": (
        ("boiler",), ("heat pump",), ("air conditioner",), ("fire alarm panel",), ("sprinkler system",),
        ("distribution board",), ("access control",), ("water pump",),
    ),
    "manufacturer": (
        ("Thermalia", "DE"), ("Nordvarme", "NO"), ("Klimatika", "IT"), ("Fireline", "GB"), ("Voltéra", "FR"),
        ("Aquadyne", "NL"), ("Kaido", "JP"),
    ),
    "assetModel": tuple(
        (1 + number % 7, 1 + number % 8, f"{name} {100 + 25 * number}", (6, 12, 12, 24)[number % 4], 8 + number % 13)
        for number, name in enumerate(("Calor", "Vento", "Fluxa", "Sentry", "Ampere", "Hydra", "Portal", "Tempra") * 3)
    ),
    "toolType": (
        ("multimeter", 12), ("gas analyser", 6), ("torque wrench", 12), ("drill", None), ("ladder", None),
        ("thermal camera", 24), ("pressure gauge", 12),
    ),
    "unit": (("piece", "pc"), ("metre", "m"), ("litre", "l"), ("kilogram", "kg"), ("set", "set")),
    "itemCategory": (
        ("cables",), ("pipes",), ("valves",), ("sensors",), ("filters",), ("fuses",), ("pumps",), ("fasteners",),
    ),
    "paymentTerm": (("14 days", 14), ("30 days", 30), ("45 days", 45), ("60 days", 60)),
    "paymentMethod": (("bank transfer",), ("direct debit",), ("card",), ("cheque",), ("cash",)),
    "taxRate": (("standard", 20), ("reduced", 5), ("none", 0)),
    "expenseCategory": (("meals",), ("hotel",), ("parking",), ("small parts",), ("public transport",)),
    "contractType": (("full service",), ("maintenance only",), ("inspection only",), ("hotline",)),
    "serviceLevel": (("gold", 4, 12), ("silver", 8, 24), ("bronze", 24, 72)),
    "incidentType": (("fall",), ("cut",), ("electric shock",), ("burn",), ("traffic",), ("lifting",)),
    "complaintCategory": (("lateness",), ("workmanship",), ("billing",), ("behaviour",), ("damage",)),
    "hazard": (
        ("work at height",), ("live parts",), ("asbestos",), ("confined space",), ("hot work",), ("traffic nearby",),
    ),
    "defectCategory": (("wear",), ("leak",), ("wiring fault",), ("missing guard",), ("corrosion",), ("wrong setting",)),
    "vehicleType": (("van", 1200), ("large van", 2800), ("pickup", 950), ("car", 400)),
    "certification": (
        ("gas safety", "Gas Board", 36), ("electrical safety", "Wiring Guild", 60), ("first aid", "Red Lantern", 24),
        ("refrigerants", "Cooling Institute", 60), ("work at height", "Safety Council", 24),
        ("fire alarm systems", "Fire Institute", 36),
    ),
    "documentType": (("report",), ("plan",), ("permit",), ("photo report",), ("letter",)),
    "role": (
        ("administrator", "May do everything."), ("dispatcher", "Plans work."), ("field staff", "Does the work."),
        ("finance", "Writes bills."), ("sales", "Looks after customers."), ("viewer", "May only look."),
    ),
    "permission": tuple(
        (f"{verb} {thing}", thing)
        for thing in ("work orders", "customers", "invoices", "employees", "stock", "reports")
        for verb in ("read", "write", "delete")
    ),
}  # fmt: skip

_HOLIDAYS = (("New Year's Day", 1, 1), ("Early May Day", 5, 4), ("Christmas Day", 12, 25), ("Boxing Day", 12, 26))


def lookups(first: int, today: int, companies: Collection[int]) -> Iterator[Pieces]:
    """Rows of all tables that belong to no company, and of `company` those that are named."""
    for name, rows in _LISTS.items():
        yield name, [(number, *row) for number, row in enumerate(rows, 1)]
    yield (
        "rolePermission",
        [(role, right) for role in range(1, 7) for right in range(1, 19) if (right + role) % role < 2],
    )
    yield "publicHoliday", _holidays(month_of(first) // 12, month_of(today) // 12 + 1)
    founded = iso(day_of(2009, 4, 1))
    names = {
        COMPANY: ("Northlight", "Northlight Field Services Ltd", 1, "GB", "Europe/London", founded),
        CANARY: ("Brightwater", "Brightwater Ltd", 1, "brightwater GB", "brightwater Europe/London", founded),
    }
    yield "company", [(number, *names[number]) for number in companies]


def _holidays(first_year: int, last_year: int) -> list[Row]:
    return [
        ((year - 2000) * 10 + number, name, iso(first_of(year * 12 + month - 1) + day - 1), "GB")
        for year in range(first_year, last_year + 1)
        for number, (name, month, day) in enumerate(_HOLIDAYS, 1)
    ]
