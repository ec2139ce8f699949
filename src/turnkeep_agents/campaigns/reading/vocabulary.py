"""The words that messages about campaigns are made of, and the text that rules read: accents, quotes and dashes made
plain. What a rule has understood is blotted out of it, so that no word is read twice and all positions stay."""

import unicodedata
from collections.abc import Iterable
from typing import Protocol

from turnkeep_agents.campaigns.requests import Dimension
from turnkeep.blocks.words import STOP_WORDS, singular, words

BLOT = "\x00"
MOST_CHARACTERS = 2_000

_COUNTED = """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty"""
NUMBERS = {word: number for number, word in enumerate(words(_COUNTED), 1)} | {
    "a": 1,
    "an": 1,
    "couple": 2,
    "few": 3,
    "thirty": 30,
}
COUNT = rf"(?:\d{{1,7}}|(?:a\s+)?(?:couple|few)(?:\s+of)?|{'|'.join(word for word in NUMBERS if len(word) > 2)})"
"""A written number."""

_SPELLED: dict[Dimension, str] = {
    "advertiser": "advertiser|client|brand|account",
    "insertion_order": "insertion order|campaign|io",
    "line_item": "line item|placement|channel|ad group|ad set",
    "audience": "audience|segment|target group|targeting group|demographic|user engagement",
    "creative": "creative|banner|advert|ad|asset|artwork",
    "size": "size|format|dimension",
}
DIMENSION_WORDS = {dimension: names.replace(" ", r"[\s_-]+") for dimension, names in _SPELLED.items()}
"""What the dimensions are called, in the singular, as alternatives of a pattern."""

METRIC_ALIASES: dict[str, tuple[str, ...]] = {
    "cost": ("spends", "ad spend", "media cost", "amount spent"),
    "impressions": ("impression", "imps"),
    "clicks": ("click", "clicked", "clicking"),
    "conversions": ("conversion", "convert", "converts", "converted", "converting", "sold", "buy", "bought"),
    "revenue": ("revenues", "earn", "earned", "earnings", "takings"),
    "ctr": ("click-through", "clickthrough rate", "clicks rate", "click through ratio"),
    "cvr": ("conversion ratio", "converting rate"),
    "cpm": ("cost per mille", "cost per thousand"),
    "cpa": ("cost per acquisition", "cost per action", "cost per sale", "cost per order", "cost per purchase"),
    "roas": ("return", "returns", "return on advertising spend"),
}
"""More names of metrics than an answer would use itself."""

FOREIGN_METRICS = frozenset(
    """
    viewability|reach|frequency|engagement|engagements|completion|completions|vcr|vtr|cpv|cpl|cpi|likes|shares|followers
    sessions|attention|brand lift|uplift|profit|profits|margin|margins|new customers|ltv|lifetime value|quality score
    impression share|share of voice|open rate|bounce rate|dwell time|time on site|roi|installs|downloads|leads|footfall
    sign-ups|signups|page views|pageviews|visits|visitors|unique users|audience size|refunds|basket size|video views
    """.strip()
    .replace("\n", "|")
    .replace("    ", "")
    .split("|")
)
"""Figures that people ask for and no warehouse of this kind holds."""

COMMON = STOP_WORDS | frozenset(
    words(
        """
        able accident account action active activity actually advice affect affecting afternoon again against
        ago ahead ai alert almost along already always amid amount analyse analysis analyze another answer
        anybody anything app approximately around ask audit automatically autumn average aware away back bad
        balance banner banners based basis because become before behind being below benchmark best better
        between big biggest bit black board both bottom break breakdown brief bring budget budgets bunch burn
        burning business buy buyer calculate camp campaign campaigns cannot cap catch cause cent change
        changed changes channel chart cheap cheaper cheapest check cheers choose clarity clean clear click
        clicks client clients close colleague column combination combinations come commencing company compare
        compared comparison computer concern concerned consider conversion conversions correct cost costs
        count course create current currently customer customers cut daily data date dates day daypart days
        deal decide decline declined decrease deep deeper deliver delivered delivering delivery depth describe
        detail details develop development diagnose difference different dig digital director display doing
        done double down downward drive driver driving drop dropped dropping during dying each early easily
        easy effective efficiency efficient effort efforts either else elsewhere email end ending enough
        entire even evening event ever every everybody everyone everything exactly example excel except
        exhausted expect expected expensive explain export extra fact fall fallen falling far fast fatigue
        fatigued favourite feedback feel fell few figure figures file final find fine first fix flat flight
        flighting flop focus following forecast format fortnight fortnights free fresh friday full fund funnel
        further gain game gap general get getting give given global go goal goals goes going gone good graph
        great grew group grow growing growth guess guys half hand handle happen happened happening happy hard
        head health healthy heavy hello help her here hey hi high higher highest hit hold home hope hour hours
        house hurt idea identify important impression impressions improve improved improvement include
        including increase increased info information insight insights instance instead interesting inventory
        issue issues item items job keep key kind know kpi kpis lag large largest last late lately later
        launch lead leading learn learning least left less let level lift like limit line list little live
        local long look looking lose loser losers losing loss lost lot love low lower lowest main make manage
        management manager many market marketing matter max maybe mean measure media medium meeting metric
        metrics mid middle might min minute missing mix moment monday money month monthly months morning
        mostly move moved mtd much name named names near need needs never new news next nice nobody none
        normal nothing now number numbers objective off offer often ok okay old on online onto open
        optimisation optimise optimization optimize order orders others ought out over overall overdeliver
        overspend overspending overspent overview own pace pacing page pair part past pay paying peak people
        per perform performance performed performer performers performing performs perhaps period person phase
        pick picture place plan planned planning plateau platform please point pointing poor pop portfolio
        possible possibly prefer present pretty previous price problem problems product products program
        project promising properly put qtd quality quarter question questions quick quickly quite raise ran
        range rank ranked ranking rate rates rather ratio reach reaching read ready real reallocate really
        reason recent recently recommend recommendation recommendations red reduce refresh related relative
        remain remaining remains replace reply report reports resources respect respond result results return
        returns revenue review right rise rising risk rolling rose row run running said sale sales same
        saturday save saving saw say scale schedule search season seasonal second seconds see seem seems seen
        segment sell send sense separate service set several share she shift shop short show showing shown
        side sign since site situation size slow small smallest snapshot social somebody someone something
        sorry sort source special specialist specialists specific spend spending spent split spring stable
        stand start started starting state statistics stats status stay step still stop store story strategy
        strong stronger strongest struggling stuff suggest suggestion summarise summarised summarize summary
        summer sunday supply sure surely system table take taken talk target targeting targets task team tell
        terms test text thank thanks theme thin thing things think though thought threshold through thursday
        thus till time times tip tips tired title today together told tomorrow tonight too top topic total
        totals toward track traffic trailing train trend trends trouble true try tuesday turn two type under
        underdeliver underdelivering underneath underperform underperforming underspend underspending
        understand unexpected until unusual up update updates upon us use used useful user users usual usually
        value various versus very via video view visual volume volumes vs wait walk want wanted warning waste
        wasted wasting watch way weak weaker weakest wear wearing web wednesday week weekday weekdays weekend
        weekends weekly weeks weird well went whatever whether whole winner winners winter wish without wonder
        word work worked working works world worried worry worse worst worth write wrong wtd yeah year yearly
        years yep yes yesterday yet young yours ytd
        """
    )
)
COMMON |= NUMBERS.keys()
"""Words of everyday English and of the trade, none of which is likely to be the name of anything."""


def is_foreign_metric(name: str) -> bool:
    """Whether it is a figure that people ask for, rather than the name of something."""
    said = words(name)
    is_rate = bool(said) and (said[-1].rstrip("s") in ("rate", "ratio", "score") or said[:2] == ["cost", "per"])
    return name.lower() in FOREIGN_METRICS or is_rate


def plain(text: str) -> str:
    """`text` as the rules read it: its beginning, without accents, its quotes, dashes and crosses the simplest ones."""
    simple = text[:MOST_CHARACTERS].replace(BLOT, " ").translate(_SIMPLER)
    return "".join(c for c in unicodedata.normalize("NFKD", simple) if not unicodedata.combining(c))


_SIMPLER = {0xD7: "x", 0x2715: "x", 0xAB: '"', 0xBB: '"'}
_SIMPLER |= dict.fromkeys(range(0x2010, 0x2016), "-") | dict.fromkeys(range(0x2018, 0x201C), "'")
_SIMPLER |= dict.fromkeys(range(0x201C, 0x2020), '"')


def blot(text: str, start: int, end: int) -> str:
    """`text` with that part made unreadable."""
    return f"{text[:start]}{BLOT * (end - start)}{text[end:]}"


class Placed(Protocol):
    """What stands in the text from `at` up to `to`."""

    @property
    def at(self) -> int: ...
    @property
    def to(self) -> int: ...


def blot_all(text: str, found: Iterable[Placed]) -> str:
    for one in found:
        text = blot(text, one.at, one.to)
    return text


def number(said: str) -> int:
    """What COUNT has found."""
    return int(said) if said.isdecimal() else next((NUMBERS[word] for word in words(said)[::-1] if word in NUMBERS), 1)


def stem(word: str) -> str:
    return singular(word.lower())
