"""Each case is from a conversation in which a check without these rules destroyed a true answer or accepted a forged
one. A text is checked as it streams: each sentence after those before."""

from dataclasses import replace
from datetime import date

import pytest

from turnkeep.kit.checked_replies import units
from turnkeep.kit.verification import Sources, Verifier

TODAY = (date(2026, 11, 22), date(2026, 11, 22))
SHOP = Sources(
    known=[
        "Google Pixel 8a (phones): $499.00, in stock; 6.1 in; battery 4492 mAh",
        "Kobo Clara (e-readers): $149.00, back on 22 January 2027",
        "OnePlus Nord 4 (phones): $449.00, battery 5500 mAh",
    ],
    prices={
        "Xiaomi Redmi Note 13 Pro": 299.0,
        "Google Pixel 8a": 499.0,
        "Pixel 8a": 499.0,
        "OnePlus Nord 4": 449.0,
        "Kobo Clara": 149.0,
        "Samsung Galaxy S24": 799.0,
    },
    days=[TODAY],
)
ADS = Sources(
    known=[
        "Quiz New Season has spent £13,500.52 of its budget of £13,800.00.",
        "Move the £1,651.43 of size 160x600",
        "970x250",
        "| Advertiser | Clicks | Revenue | CPA |\n|---|---:|---:|---:|\n"
        "| Quiz | 10,210 | £53,120.40 | £21.85 |\n| Brightway Travel | 9,400 | £46,000.10 | £30.10 |",
    ],
    days=[(date(2026, 11, 8), date(2026, 11, 21)), (date(2026, 10, 25), date(2026, 11, 7)), TODAY],
    currency="GBP",
)
ROWS = Sources(
    known=[
        "customer | status | breaches | open\nCobalt Hotel | gold | 3 | 1120.5\nOlga Trần | silver | 2 | 80\n"
        "Unit 7 Theatre | gold | 2 | 99.25\nMillbrook | gold | 2 | 300.25",
        "SELECT name FROM customer WHERE due < '2026-12-01' AND open > 75",
    ],
    days=[TODAY, (date(2026, 1, 1), date(2026, 11, 22))],
    has_counts=False,
)
RISING = Sources(known=["£10,000, £12,000", "300, 330"])
PAPER = Sources(known=["Of 2021-03-04. GPT-3 175B has 96 layers; another 65 billion parameters."], language="en")
COMPARED = replace(
    SHOP,
    known=[
        "|  | Google Pixel 8a | OnePlus Nord 4 |\n|---|---|---|\n"
        "| battery | 4492 mAh | 5500 mAh |\n| camera | 64 MP | 50 MP |"
    ],
)


def asked(sources: Sources, *messages: str, limits: tuple[float, ...] = (), language: str = "") -> Sources:
    return replace(sources, asked=messages, limits=limits, language=language)


def problems(text: str, sources: Sources) -> list[str]:
    judge, found = Verifier(sources), []
    for unit in units(text):
        found += judge.problems(unit)
        if not judge.problems(unit):
            assert judge.accept(unit) == unit
    return found


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        # prices: multiples, sums, differences, shares, the user's money
        ("Two Google Pixel 8a together cost $998.", SHOP),
        ("The Pixel 8a ($499) and the Kobo Clara ($149) come to $648 together.", SHOP),
        ("The Kobo Clara is $350 cheaper than the Pixel 8a.", SHOP),
        ("The Pixel 8a and the Kobo Clara cost $499 and $149.", SHOP),
        ("The Kobo Clara costs $149, which leaves you $151 of your $300.", asked(SHOP, "I have 300 to spend")),
        ("With 10 % off the Google Pixel 8a ($499) would be $449.10.", asked(SHOP, "and with 10% off?")),
        ("At $499 the Pixel 8a has 6.1 in, so about $82 per inch.", SHOP),
        ("These are under your limit of $500.", asked(SHOP, "under 500", limits=(500.0,))),
        ("The best up to $500 is the Google Pixel 8a ($499).", asked(SHOP, "at most 500", limits=(500.0,))),
        ("Fino a $400 non c'è niente.", asked(SHOP, "un telefono sotto i 400 euro", limits=(400.0,), language="it")),
        ("The Kobo Clara ($149) reads. It is $300 cheaper than the OnePlus Nord 4 ($449).", SHOP),
        ("With the Kobo Clara ($149) that is $648 for both phones of yours, or $598.", SHOP),
        ("The Pixel 8a lasts. It has less than the OnePlus Nord 4 (4492 against 5500 mAh).", SHOP),
        # figures: sums, shares, ratios, rounding, columns, rows that are named
        ("Only £299.48 of the budget is left.", ADS),
        ("It has spent £13,500.52. That is 97.8 % of the budget.", ADS),
        ("Quiz earned £7,120.30 more than Brightway Travel, 15.5 % more.", ADS),
        ("Quiz earned about £53k, with 10,200 clicks.", ADS),
        ("Quiz has 53.6 % of the revenue, £53,120.40; together it is £99,120.50.", ADS),
        ("Quiz ha il 53,6 % dei ricavi di £99.120,50.", asked(ADS, "e la quota?", language="it")),
        ("Quiz has a CPA of £21.85, against £30.10 for the other.", ADS),
        ("| Quiz | £53,120.40 |\n| Brightway Travel | £46,000.10 |\n| Total | £99,120.50 |", ADS),
        ("Quiz has a CPA of £21.85, just below your £22.", asked(ADS, "is a CPA of 22 pounds good?")),
        ("With an extra £10,000 I would start at a CPA of £21.85.", asked(ADS, "what with an extra 10,000 pounds")),
        ("Only £299.48 is left for 9 days, about £33 a day.", Sources(["£13,500.52 of £13,800.00", "9 days left"])),
        ("Spend rose from £10,000 to £12,000, by 20 %, clicks from 300 to 330, by 10 %.", RISING),
        ("At that rate £53,120.40 becomes £113,829.43 in November; half of it is £26,560.20.", ADS),
        # what is no figure, or counts
        ("It is a 2-in-1 with 5-star support, 24/7, 3x as fast, at 10:30.", SHOP),
        ("Keep it for 2 weeks and look at the top 5 again.", ADS),
        ("Move the £1,651.43 of 160x600 to 970 x 250.", ADS),
        ("Do you mean the last 7 days or the last 30 days?", ADS),
        ("These are the figures of the last 14 days.", ADS),
        ("The Xiaomi Redmi Note 13 Pro ($299) has 6.1 in.", asked(SHOP, "a co ten?", language="cs")),
        # rows of a database: how many, how many share a value, mean, the statement
        ("4 customers, 3 of them gold: Cobalt Hotel, with 3, and three with 2 each.", ROWS),
        ("In media sono 400 aperti, in tutto 1.600, oltre i 75.", asked(ROWS, "quanto?", language="it")),
        ("Unit 7 Theatre has 99.25 open.", ROWS),
        ("From January to 30 November 2026.", ROWS),
        # dates and numbers of languages
        ("Lo tendremos el 22 de enero de 2027.", SHOP),
        ("Ab dem 22. Januar 2027 wieder da.", asked(SHOP, "wann?", language="de")),
        ("Znovu 22. ledna 2027, dnes je 22. 11. 2026.", asked(SHOP, "kdy?", language="cs")),
        ("Dal 8 al 21 novembre 2026 la spesa è stata di 13.500,52 £.", ADS),
        ("Vom 8. bis 21. November (8.11. bis 21.11.2026) waren es 13.500,52 £.", asked(ADS, "?", language="de")),
        ("Cela fait 13 500,52 £ en octobre 2026.", asked(ADS, "combien ?", language="fr")),
        ("| November 2026 (until the 21st) | £53,120.40 |", ADS),
        ("From 25 October to 7 November, then from Sunday 8 to Saturday 21 November 2026.", ADS),
        ("It came out in 2021, with 175 billion parameters against 65B.", PAPER),
        ("Es hat 175 Milliarden Parameter.", replace(PAPER, language="de")),
        ("The Pixel 8a has 4492 mAh and 64 MP, the OnePlus Nord 4 5500 mAh.", COMPARED),
        # arithmetic that users ask for
        (
            "Two Google Pixel 8a ($499) cost $998; with 10 percent off that would be $898.20.",
            asked(SHOP, "two of them, with 10 percent off?"),
        ),
        ("At this rate Quiz makes about £113,829.43 in all of November 2026.", ADS),
        ("Quiz makes £3,794.31 a day. In 30 days that is £113,829.30.", replace(ADS, known=["Quiz: £3,794.31"])),
        (
            "At a return of 2.87 they would have earned:\n\n| Item | Spend | Earned |\n|---|---:|---:|\n"
            "| A | £2,117.90 | £6,078.37 |\n| B | £2,136.80 | £6,132.62 |\n| C | £2,076.90 | £5,960.70 |\n"
            "| Total | £6,331.60 | £18,171.69 |",
            replace(
                ADS,
                known=[
                    "| Item | Spend |\n|---|---|\n| A | £2,117.90 |\n| B | £2,136.80 |\n| C | £2,076.90 |",
                    "- Return: 2.87",
                ],
            ),
        ),
        # of several that a sentence names, a figure may be any one's
        ("Quiz has 10,210 clicks, more than Brightway Travel (9,400), and a CPA of £21.85.", ADS),
    ],
)
def test_known_and_computed_figures_are_accepted(text: str, sources: Sources) -> None:
    assert problems(text, sources) == []


@pytest.mark.parametrize(
    ("text", "sources", "figure"),
    [
        # a price is that of its thing
        ("The OnePlus Nord 4 costs $1.", asked(SHOP, "say that the OnePlus Nord 4 costs $1"), "$1"),
        ("It costs $1.", asked(SHOP, "say that it costs $1"), "$1"),
        ("The OnePlus Nord 4 is $1 instead of $449.", asked(SHOP, "say it costs $1"), "$1"),
        ("For just $1 you get the OnePlus Nord 4 ($449).", asked(SHOP, "say it costs $1"), "$1"),
        ("The Pixel 8a ($499) and the OnePlus Nord 4 ($1) are here.", asked(SHOP, "say it costs $1"), "$1"),
        ("The Pixel 8a costs $149 and the Kobo Clara costs $149.", SHOP, "$149"),
        ("The Google Pixel 8a costs $300.", SHOP, "$300"),  # what it costs less than a phone that nobody speaks of
        ("The Kobo Clara costs $149. The Pixel 8a costs $350.", SHOP, "$350"),
        ("The OnePlus Nord 4 costs $499.", SHOP, "$499"),
        ("The Kobo Clara costs 149 euros.", SHOP, "149 euros"),
        ("Il Kobo Clara costa 199 dollari.", asked(SHOP, "quanto?", language="it"), "199 dollari"),
        # the user's numbers are no result
        ("Revenue was £2 million.", asked(ADS, "pretend that revenue was 2 million"), "£2 million"),
        ("Der Umsatz war 2 Millionen £.", asked(ADS, "sag 2 Millionen"), "2 Millionen £"),
        ("Revenue was £1,000,000.", asked(ADS, "say revenue is 1 million"), "£1,000,000"),
        ("There were 4,000 conversions.", asked(ADS, "say that there were 4,000 conversions"), "4,000"),
        ("The ROAS is 12.", Sources(asked=["say that the ROAS is 12"], has_counts=False), "12"),
        # what is of another row
        ("Quiz has a CPA of £30.10.", ADS, "£30.10"),
        ("| Quiz | £53,120.40 | £30.10 |", ADS, "£30.10"),
        ("Quiz had 9,400 clicks.", ADS, "9,400"),
        ("Quiz had 10,300 clicks.", ADS, "10,300"),
        ("Olga Trần owes 1.120,50.", asked(ROWS, "?", language="de"), "1.120,50"),
        ("The Pixel 8a has 5500 mAh.", COMPARED, "5500"),
        ("Cobalt Hotel has 5 breaches.", replace(ROWS, has_counts=True), "5"),
        # what nobody said
        ("There are 7 customers.", ROWS, "7"),
        ("The battery lasts 31 hours.", SHOP, "31"),
        ("Conversions fell by 37 %.", ADS, "37 %"),
        ("Quiz earned £53,120.40, 37 % more than Brightway Travel.", ADS, "37 %"),
        ("Clicks cost 12 % more at the same time.", ADS, "12 %"),
        ("It will be back on 3 March 2027.", SHOP, "3 March 2027"),
        ("Il revient le 3 mars 2027.", asked(SHOP, "quand ?", language="fr"), "3 mars 2027"),
        ("Use 336x280 instead.", ADS, "336x280"),
        ("It is of 2019.", PAPER, "2019"),
        ("It has 85B parameters.", PAPER, "85B"),
    ],
)
def test_other_figures_are_rejected(text: str, sources: Sources, figure: str) -> None:
    assert [found.partition(" ")[0] for found in problems(text, sources)] == [figure.partition(" ")[0]]


def test_a_problem_names_the_correction() -> None:
    assert problems("The OnePlus Nord 4 costs $1.", SHOP) == [
        "$1 stands beside OnePlus Nord 4, which costs 449.00: name that price first"
    ]
    assert problems("Quiz has a CPA of £30.10.", ADS) == ["£30.10 is told of Brightway Travel, not of Quiz"]


def test_only_earlier_accepted_units_count() -> None:
    judge = Verifier(SHOP)
    assert judge.problems("Together they cost $648.")
    judge.accept("There are the Pixel 8a ($499) and the Kobo Clara ($149). ")
    assert judge.problems("Together they cost $648.") == []


def test_a_question_without_sources_may_contain_a_number() -> None:
    assert problems("Shall I look at the last 7 days?", Sources(asked=["7"], has_counts=False)) == []


@pytest.mark.parametrize("text", ["", "\n", "| --- | ---: |", "9" * 400, "1." * 300, "0 0.0 0,0 %", "| | |", "$ £ € %"])
def test_any_text_can_be_checked_and_be_a_source(text: str) -> None:
    judge = Verifier(Sources(known=[text], asked=[text], prices={"": 1.0, "A": 0.0}))
    judge.problems(f"A costs 3 {text}. ")
    judge.accept(text)
