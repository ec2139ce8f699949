"""What people, firms, streets and towns are called. All of it is invented; likeness to anybody is chance."""

import unicodedata

FIRST_NAMES = (
    "Amelia", "Oliver", "Zofia", "Jürgen", "Inés", "Tomáš", "Aisling", "Rajesh", "Mei", "Kwame", "Søren", "Chloé",
    "Dmitri", "Fatima", "Liam", "Nguyệt", "Paulo", "Ayşe", "George", "Hannah", "Mateusz", "Priya", "Björn", "Grace",
    "Samuel", "Léa", "Callum", "Ngozi", "Andrzej", "Emily", "Hiroshi", "Marta", "Owen", "Żaneta", "Isaac", "Siobhán",
    "Viktor", "Rosa", "Jack", "Anouk", "Tariq", "Bethany", "Luca", "Ilse", "Harvey", "Yara", "Piotr", "Megan",
    "Jamal", "Elin", "Connor", "Noémie", "Arjun", "Katarzyna", "Ethan", "Lucía", "Ravi", "Freya", "Musa", "Ella",
    "Stefan", "Dariusz", "Imogen", "Håkon", "Naomi", "Gareth", "Leila", "Ciarán", "Sanjay", "Vera", "Rhys", "Olga",
)  # fmt: skip
LAST_NAMES = (
    "Whitfield", "Kowalski", "Müller", "O'Connell", "García", "Novák", "Patel", "Chen", "Mensah", "Sørensen",
    "Dubois", "Ivanov", "Rahman", "Hughes", "Trần", "Silva", "Şahin", "Ashworth", "Brannigan", "Wójcik",
    "Iyer", "Lindqvist", "Okafor", "Hartley", "Moreau", "Ferguson", "Adeyemi", "Zieliński", "Tanaka", "Costa",
    "Llewellyn", "Nowak", "Goldberg", "Ní Bhriain", "Petrov", "Romero", "Sutcliffe", "de Vries", "Hussain", "Pryce",
    "Bianchi", "Janssen", "Thackeray", "Haddad", "Kamiński", "Drummond", "Diallo", "Bergström", "Quigley", "Lefèvre",
    "Sharma", "Lewandowska", "Mac an Tsaoir", "Álvarez", "Nair", "Holloway", "Bello", "Radcliffe", "Braun", "Pereira",
)  # fmt: skip
FIRMS = (
    "Ashgrove", "Blackthorn", "Cobalt", "Dovecote", "Elmfield", "Foxglove", "Greystone", "Hazelmere", "Ironbridge",
    "Juniper", "Kingsway", "Larchwood", "Millbrook", "Nettlecombe", "Orchard", "Pinnacle", "Quarrybank", "Ravenscourt",
    "Silverdale", "Thornbury", "Underhill", "Vantage", "Willowbank", "Yarrow", "Zenith", "Café Amélie", "Brühl & Sohn",
)  # fmt: skip
FIRM_KINDS = (
    "Foods", "Dental Practice", "Primary School", "Logistics", "Hotel", "Care Home", "Brewery", "Properties",
    "Library", "Textiles", "Bakery", "Medical Centre", "Garages", "Housing Association", "Theatre", "Print Works",
    "Garden Centre",
)  # fmt: skip
STREETS = (
    "Mill Lane", "Station Road", "Priory Street", "Canal Walk", "Orchard Close", "Foundry Road", "Market Place",
    "Chapel Hill", "Wharf Street", "Beech Avenue", "Castle Gate", "Weaver's Yard", "Rose Terrace", "Quay Side",
)  # fmt: skip
TOWNS = {
    1: ("Leeds", "Bradford", "York", "Harrogate"),
    2: ("Bristol", "Bath", "Exeter", "Gloucester"),
    3: ("Glasgow", "Edinburgh", "Stirling", "Perth"),
    4: ("Norwich", "Ipswich", "Cambridge", "Colchester"),
    5: ("Cardiff", "Swansea", "Newport", "Wrexham"),
}
"""By region."""
CENTRES = {1: (53.8, -1.55), 2: (51.45, -2.59), 3: (55.86, -4.25), 4: (52.63, 1.3), 5: (51.48, -3.18)}
POSTCODES = {1: "LS", 2: "BS", 3: "G", 4: "NR", 5: "CF"}
CREWS = (
    "Falcon", "Heron", "Kestrel", "Lapwing", "Merlin", "Osprey", "Plover", "Raven", "Skylark", "Swift", "Tern",
    "Wagtail", "Curlew", "Dipper", "Egret", "Gannet", "Harrier", "Jackdaw",
)  # fmt: skip

_UNMARKED = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ß": "ss", "đ": "d", "'": "", " ": ""})


def mailbox(*names: str, domain: str) -> str:
    """An address in plain ASCII."""
    plain = unicodedata.normalize("NFKD", ".".join(names).translate(_UNMARKED))
    return f"{plain.encode('ascii', 'ignore').decode().lower()}@{domain}"


def phone(number: int) -> str:
    """From the block that is kept free for drama, so that it is nobody's."""
    return f"+44 1632 960{number % 1000:03d}"
