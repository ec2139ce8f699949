"""From a message to a request, on the shops of `known_shops`."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_shops import KNOWN, NAMES

from turnkeep_agents.campaigns.reading.message import is_agreement, is_refusal, read_request, read_week
from turnkeep_agents.campaigns.requests import Period, Request


def read(text: str, *earlier: str) -> Request:
    """The request of the last of several messages."""
    before: Request | None = None
    for said in [*earlier, text]:
        before = read_request(said, KNOWN, before=before)
    assert before is not None
    return before


def label(period: Period | None) -> str | None:
    return period and period.label


@pytest.mark.parametrize(
    ("text", "metrics"),
    [
        ("How many clicks did Quiz get?", ["clicks"]),
        ("How much did we spend?", ["cost"]),
        ("What was spent on Samsung?", ["cost"]),
        ("our ad spend", ["cost"]),
        ("Impressions and clicks for Quiz", ["impressions", "clicks"]),
        ("number of views", ["impressions"]),
        ("the click-through rate of Quiz", ["ctr"]),
        ("clickthrough of Samsung", ["ctr"]),
        ("CTR, please", ["ctr"]),
        ("conversion rates", ["cvr"]),
        ("the conversions rate of Quiz", ["cvr"]),
        ("cost per click", ["cpc"]),
        ("cost per acquisition for Samsung", ["cpa"]),
        ("What did a conversion cost Quiz?", ["cpa"]),
        ("the cost of each click", ["cpc"]),
        ("price per click of Quiz", ["cpc"]),
        ("What do we pay per click?", ["cpc"]),
        ("spend per conversion", ["cpa"]),
        ("How much money did Quiz make?", ["revenue"]),
        ("How much came in from Samsung?", ["revenue"]),
        ("Did the Movers buy anything?", ["conversions"]),
        ("CPMs of Quiz", ["cpm"]),
        ("What is our return on ad spend?", ["roas"]),
        ("ROAS and revenue", ["roas", "revenue"]),
        ("did Night Owls convert", ["conversions"]),
        ("number of orders", ["conversions"]),
        ("impresions of Quiz", ["impressions"]),
        ("total conversons and revenu", ["conversions", "revenue"]),
        ("insertion orders of Quiz", []),
        ("display campaigns", []),
        ("Quiz performance", []),
    ],
)
def test_metrics_are_known_by_their_names(text: str, metrics: list[str]) -> None:
    assert list(read(text).metrics) == metrics


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ("clicks by creative", ["creative"]),
        ("spend per size", ["size"]),
        ("clicks by line-item", ["line_item"]),
        ("clicks by insertion_order", ["insertion_order"]),
        ("conversions for each audience", ["audience"]),
        ("Which line items cost most?", ["line_item"]),
        ("split revenue by audience and size", ["audience", "size"]),
        ("Which creatives work with which audiences?", ["creative", "audience"]),
        ("weekly clicks", ["week"]),
        ("daily spend of Quiz", ["day"]),
        ("clicks month by month", ["month"]),
        ("revenue by campaign and month", ["insertion_order", "month"]),
        ("How are our ads doing?", ["creative"]),
        ("the ads by size", ["size"]),
        ("CTR of creative sizes", ["size"]),
        ("Which client spends most?", ["advertiser"]),
        ("campaign performance of Quiz", []),
        ("return on ad spend", []),
        ("the daily budget of Quiz", []),
        ("What should all advertisers change?", []),
        ("How is the Night Owls audience doing?", []),
        ("clicks of the creative Espresso 300x250", []),
        ("the audience called Movers by size", ["size"]),
        ("compare Quiz and Samsung", ["advertiser"]),
        ("clicks trend in May", ["day"]),
        ("how did clicks develop in Q1", ["week"]),
        ("clicks over time since November", ["month"]),
        ("Which day had the most clicks in May?", ["day"]),
        ("the best two months of Quiz", ["month"]),
        ("cost by channel", ["line_item"]),
    ],
)
def test_what_splits_the_figures_is_told_from_what_only_names_a_kind(text: str, by: list[str]) -> None:
    assert list(read(text).by) == by


def test_a_change_shown_by_month_covers_all_months_between() -> None:
    found = read("How did clicks change by month from March to May?")
    assert (list(found.by), label(found.period), found.compared) == (["month"], "March to May 2026", None)


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("clicks of Quiz", {"advertiser": ["Quiz"]}),
        ("quiz performance for two weeks", {"advertiser": ["Quiz"]}),
        ("cafe noir clicks", {"advertiser": ["Café Noir"]}),
        ("CAFÉ NOIR'S CLICKS", {"advertiser": ["Café Noir"]}),
        ("Blue Door clicks", {"advertiser": ["Blue Door Homes"]}),
        ("Quiz and Samsung in May", {"advertiser": ["Quiz", "Samsung"]}),
        ("Quiz Clearance spend", {"insertion_order": ["Quiz Clearance"]}),
        ("how is the party season of quiz", {"advertiser": ["Quiz"], "insertion_order": ["Quiz Party Season"]}),
        ("the Galaxy launch", {"insertion_order": ["Samsung Galaxy Launch"]}),
        ("Quiz Clearance Prospecting", {"line_item": ["Quiz Clearance Prospecting"]}),
        ("clicks of the 300 x 250", {"size": ["300x250"]}),
        ("the 300\u00d7250 of Quiz", {"advertiser": ["Quiz"], "size": ["300x250"]}),
        ("Glitter 300x250 clicks", {"creative": ["Glitter 300x250"]}),
        ("Glitter clicks", {"creative": ["Glitter 300x250", "Glitter 728x90"]}),
        ("renter conversions", {"audience": ["Renters"]}),
        ("Remarketing of Quiz", {"advertiser": ["Quiz"], "line_item": ["Quiz Clearance Remarketing"]}),
        ("remarketing", {"line_item": ["Blue Door Lettings Remarketing", "Quiz Clearance Remarketing"]}),
        ("Samsng clicks", {"advertiser": ["Samsung"]}),
        ("quizz clicks", {"advertiser": ["Quiz"]}),
        ("a high CPA", {}),
        ("the High audience", {"audience": ["High"]}),
        ("clicks in May", {}),
        ("who won the quizzical prize", {}),
    ],
)
def test_names_are_found_whole_in_part_and_a_letter_off(text: str, filters: dict[str, list[str]]) -> None:
    assert {kind: list(names) for kind, names in read(text).filters.items()} == filters


@pytest.mark.parametrize(
    ("text", "limit", "order"),
    [
        ("top 3 creatives by ROAS", 3, "best"),
        ("the five worst line items", 5, "worst"),
        ("worst five audiences", 5, "worst"),
        ("top ten creatives", 10, "best"),
        ("Which creative has the highest CTR?", None, "best"),
        ("Which audience has the highest CPA?", None, "worst"),
        ("lowest cost per click by size", None, "best"),
        ("fewest clicks by size", None, "worst"),
        ("show me 4 creatives", 4, None),
        ("What are the four audiences with the most clicks?", 4, "best"),
        ("Which three audiences had the best CTR?", 3, "best"),
        ("what 2 creatives cost most", 2, "best"),
        ("top 5000 creatives", 100, "best"),
        ("top 0 creatives", None, "best"),
        ("at least the clicks", None, None),
        ("the top creatives of the last 3 months", None, "best"),
    ],
)
def test_how_many_and_which_first(text: str, limit: int | None, order: str | None) -> None:
    found = read(text)
    assert (found.limit, found.order) == (limit, order)


def test_the_metric_that_ranks_comes_first() -> None:
    assert read("clicks and spend of the 3 audiences with the lowest CPA").metrics == ("cpa", "clicks", "cost")
    assert read("top 3 audiences by ROAS, with clicks").metrics == ("roas", "clicks")


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("How is Quiz doing?", "status"),
        ("Is Quiz on track?", "status"),
        ("how are things at Samsung", "status"),
        ("How did Quiz perform in May?", "status"),
        ("Show me the clicks of Quiz", "informational"),
        ("quiz performance", "informational"),
        ("How much did Quiz spend?", "informational"),
        ("Why did clicks fall?", "analysis"),
        ("What is wrong with Quiz?", "analysis"),
        ("What should Samsung change?", "analysis"),
        ("How is Quiz doing and how can we improve it?", "analysis"),
        ("Diagnose Café Noir", "analysis"),
        ("Conversions of Quiz dropped", "analysis"),
    ],
)
def test_figures_a_state_and_reasons_are_told_apart(text: str, intent: str) -> None:
    assert read(text).intent == intent


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("What is the viewability of Quiz?", ["viewability"]),
        ("bounce rate and clicks for Samsung", ["bounce rate"]),
        ("the fill rate of Quiz", ["fill rate"]),
        ("cost per install for Quiz", ["cost per install"]),
        ("Nike performance", ["Nike"]),
        ("How is Nike doing?", ["Nike"]),
        ("how is nike doing", ["nike"]),
        ("What about ACME Corp?", ["ACME Corp"]),
        ('clicks of "Autumn Madness"', ["Autumn Madness"]),
        ('clicks of "Clearance Madness"', ["Clearance Madness"]),
        ("clicks of Zara and Quiz", ["Zara"]),
        ("the 970x250 banners", ["970x250"]),
        ("clicks by device", ["device"]),
        ("Show Clicks Of Quiz", []),
        ("SHOW THE CLICKS OF QUIZ", []),
        ("VISUALISE THE CLICKS OF QUIZ", []),
        ("Please compare Monday clicks for Quiz", []),
        ("Is the ROAS of the Quiz IO any good?", []),
        ("what would you improve for us", []),
    ],
)
def test_what_the_warehouse_does_not_know_is_told(text: str, unknown: list[str]) -> None:
    assert list(read(text).unknown) == unknown


def test_unknown_names_are_bounded() -> None:
    found = read("clicks of Aldi, Bosch, Cisco, Dyson, Epson, Fanta and Gucci in May")
    assert len(found.unknown) == 5


def test_what_was_taken_for_granted_is_said() -> None:
    assert any("Samsung" in said for said in read("Samsng clicks in May").assumed)
    (parts,) = read("Glitter clicks in May").assumed
    assert "Glitter 300x250" in parts
    (usual,) = read("clicks of Quiz").assumed
    assert "30" in usual
    assert read("clicks of Quiz in May").assumed == ()


def test_a_name_of_two_things_is_taken_for_one_and_that_is_said() -> None:
    both = replace(KNOWN, names={**NAMES, "line_item": (*NAMES["line_item"], "Movers")})
    found = read_request("clicks of Movers in May", both)
    assert found.filters == {"audience": ("Movers",)}
    assert len(found.assumed) == 1
    called = read_request("clicks of the line item Movers in May", both)
    assert (called.filters, called.assumed) == ({"line_item": ("Movers",)}, ())


def test_what_has_the_name_of_a_size_is_taken_for_the_size() -> None:
    same = replace(KNOWN, names={**NAMES, "creative": ("300 x 250", "728 x 90")})
    found = read_request("clicks of the 300x250 in May", same)
    assert (found.filters, found.assumed) == ({"size": ("300x250",)}, ())
    assert read_request("the creative 300x250 in May", same).filters == {"creative": ("300 x 250",)}


def test_short_forms_of_a_campaign_are_the_same() -> None:
    numbered = replace(KNOWN, names={**NAMES, "insertion_order": ("camp 1", "camp 2")})
    assert read_request("ROAS of campaign 2 in May", numbered).filters == {"insertion_order": ("camp 2",)}


def test_a_pick_by_values_is_left_aside_and_that_is_said() -> None:
    (said,) = read("audiences with a CPA above £50 in May").assumed
    assert "above £50" in said
    assert read("clicks over 14 days").assumed == ()


def test_figures_by_month_are_taken_of_more_than_a_month() -> None:
    assert read("monthly clicks").period == Period(
        start=KNOWN.first, end=KNOWN.last, label="1 November 2025 to 10 June 2026"
    )
    assert read("weekly clicks").period == Period(
        start=date(2026, 3, 19), end=KNOWN.last, label="19 March to 10 June 2026"
    )


def test_a_part_of_too_many_names_is_asked_back() -> None:
    names = {**NAMES, "creative": tuple(f"Sparkle {number}" for number in range(20))}
    found = read_request("sparkle clicks in May", replace(KNOWN, names=names))
    assert (found.filters, len(found.doubts)) == ({}, 1)


@pytest.mark.parametrize(
    "text",
    [
        "Hallway 160x600 of Quiz in May",
        "Samsung's Quiz Clearance in May",
        "the line item Quiz Clearance Remarketing of Café Noir",
    ],
)
def test_names_that_contradict_each_other_are_asked_back(text: str) -> None:
    (question,) = read(text).doubts
    assert question.endswith("?")


def test_a_creative_of_two_advertisers_contradicts_neither() -> None:
    assert read("Glitter 728x90 of Samsung in May").doubts == ()
    assert read("300x250 of Samsung in May").doubts == ()


def test_contradicting_periods_are_asked_back() -> None:
    assert len(read("Quiz clicks in May in June").doubts) == 1


def test_two_weeks_of_quiz_are_asked_about_before_they_run() -> None:
    asked = read("quiz performance for two weeks")
    assert len(asked.doubts) == 1
    assert label(asked.period) == "24 May to 6 June 2026"
    settled = read_request("quiz performance for two weeks", KNOWN, week="monday")
    assert (settled.doubts, label(settled.period)) == ((), "25 May to 7 June 2026")


@pytest.mark.parametrize(
    "text",
    [
        "Wie viele Klicks hatte Quiz im letzten Monat?",
        "und für Mai?",
        "¿Cuántos clics tuvo Samsung el mes pasado?",
        "Combien de clics pour Quiz en mai ?",
        "Quanto abbiamo speso per Quiz a maggio?",
        "Покажи расходы за май",
        "先月のクリック数は",
    ],
)
def test_another_language_is_asked_back_in_english_and_not_guessed_at(text: str) -> None:
    found = read(text, "clicks of Quiz in May")
    assert len(found.doubts) == 1
    assert (found.metrics, found.filters, found.period) == ((), {}, None)


@pytest.mark.parametrize(
    "text", ["Café Noir clicks", "Quiz vs Samsung", "Quiz", "ROAS", "a la carte clicks", "Los Angeles"]
)
def test_english_is_not_taken_for_another_language(text: str) -> None:
    assert not any("English" in doubt for doubt in read(text).doubts)


def test_a_name_in_another_language_does_not_make_a_message_foreign() -> None:
    spanish = replace(KNOWN, names={**NAMES, "advertiser": ("La Casa de los Niños",)})
    found = read_request("la casa de los ninos clicks", spanish)
    assert (found.filters, found.doubts) == ({"advertiser": ("La Casa de los Niños",)}, ())


# Follow-ups

FIRST_MESSAGE = "Show me the clicks of Quiz by creative in April, top 3"


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("and for May?", {"period": "May 2026"}),
        ("What about May?", {"period": "May 2026"}),
        ("and the month before?", {"period": "March 2026"}),
        ("compared with March?", {"compared": "March 2026"}),
        ("what about Samsung?", {"filters": {"advertiser": ("Samsung",)}}),
        ("only the 300x250", {"filters": {"advertiser": ("Quiz",), "size": ("300x250",)}}),
        ("and the impressions?", {"metrics": ("impressions",)}),
        ("by audience", {"by": ("audience",), "limit": None, "order": None}),
        ("and per day", {"by": ("day",), "limit": None, "order": None}),
        ("top 5", {"limit": 5}),
        ("worst first", {"order": "worst"}),
        ("for all advertisers", {"filters": {}}),
        ("How does Quiz compare with March?", {"compared": "March 2026"}),
        ("why?", {"intent": "analysis"}),
        ("what should we do about it?", {"intent": "analysis"}),
        ("and Samsung in May", {"filters": {"advertiser": ("Samsung",)}, "period": "May 2026"}),
        ("and Quiz Clearance?", {"filters": {"advertiser": ("Quiz",), "insertion_order": ("Quiz Clearance",)}}),
        ("and Café Noir Loyalty?", {"filters": {"insertion_order": ("Café Noir Loyalty",)}}),
    ],
)
def test_a_follow_up_changes_what_it_names_and_keeps_the_rest(text: str, changed: dict[str, Any]) -> None:
    found = read(text, FIRST_MESSAGE)
    expected: dict[str, Any] = {
        "intent": "informational",
        "metrics": ("clicks",),
        "by": ("creative",),
        "filters": {"advertiser": ("Quiz",)},
        "period": "April 2026",
        "compared": None,
        "limit": 3,
        "order": "best",
        **changed,
    }
    shown = found.model_dump(include=expected.keys())
    shown |= {"period": label(found.period), "compared": label(found.compared)}
    assert shown == expected


@pytest.mark.parametrize(
    "text",
    [
        "How much did we spend in May?",
        "Samsung spend",
        "How is Café Noir doing?",
        "Is Samsung on track?",
        "Which audiences of Blue Door Homes convert best?",
        "What did all advertisers spend?",
    ],
)
def test_a_new_question_starts_afresh(text: str) -> None:
    assert read(text, FIRST_MESSAGE) == read(text)


def test_a_new_question_is_not_told_from_the_last_period() -> None:
    found = read("Did Samsung spend more than last month?", FIRST_MESSAGE)
    assert (label(found.period), label(found.compared)) == ("1 to 10 June 2026", "May 2026")


def test_a_question_without_name_and_time_goes_on_and_says_so() -> None:
    found = read("Which audiences convert best?", FIRST_MESSAGE)
    assert (found.filters, label(found.period)) == ({"advertiser": ("Quiz",)}, "April 2026")
    assert any("Quiz" in said for said in found.assumed)


def test_another_advertiser_leaves_the_names_of_the_last_one_behind() -> None:
    found = read("what about Samsung?", "clicks of Glitter 300x250 in Quiz Clearance in May, 300x250")
    assert found.filters == {"advertiser": ("Samsung",), "size": ("300x250",)}


def test_remarks_about_names_do_not_outlive_them() -> None:
    found = read("and Quiz?", "Samsng clicks")
    assert not any("Samsung" in said for said in found.assumed)
    assert any("30" in said for said in found.assumed)


def test_a_whole_question_behind_and_keeps_the_period_and_drops_the_split() -> None:
    found = read("And how many impressions did Samsung get?", FIRST_MESSAGE)
    assert (found.by, found.limit, label(found.period)) == ((), None, "April 2026")


def test_a_chain_of_follow_ups_stays_on_its_subject() -> None:
    chain = ["clicks of Quiz in May", "and Samsung?", "by creative", "only 728x90", "and the conversions?", "for April"]
    found = read(*reversed(chain[-1:]), *chain[:-1])
    assert found.metrics == ("conversions",)
    assert found.filters == {"advertiser": ("Samsung",), "size": ("728x90",)}
    assert (found.by, label(found.period)) == (("creative",), "April 2026")


# Answers to a question

AGREEMENTS = (
    "Bang on thank you|yes|Yes please|yep, go ahead|OK!|perfect, thanks|that's right|sounds good|👍|no problem|correct"
    "|Yes, Sunday to Saturday|yes that's what I meant|spot on|exactly|That works for me|sure thing|of course|lovely"
)
REFUSALS = (
    "no|No, Monday to Sunday|nope|not quite|wrong|never mind|I don't think so|No thanks|that is wrong"
    "|no, the last 14 days"
)
NEITHER = (
    "ok and what about Samsung?|is that right?|Thank you|Quiz clicks|hmm|yes but Monday to Sunday"
    "|Are there no data for Quiz?|rolling|correct the clicks of Quiz|fine art clicks"
)


@pytest.mark.parametrize("text", AGREEMENTS.split("|"))
def test_an_agreement_is_recognised(text: str) -> None:
    assert (is_agreement(text), is_refusal(text)) == (True, False)


@pytest.mark.parametrize("text", REFUSALS.split("|"))
def test_a_refusal_is_recognised(text: str) -> None:
    assert (is_agreement(text), is_refusal(text)) == (False, True)


@pytest.mark.parametrize("text", NEITHER.split("|"))
def test_what_is_neither_is_not_taken_for_either(text: str) -> None:
    assert (is_agreement(text), is_refusal(text)) == (False, False)


@pytest.mark.parametrize(
    ("text", "week"),
    [
        ("no, Monday to Sunday", "monday"),
        ("Mon-Sun please", "monday"),
        ("our weeks start on Monday", "monday"),
        ("ISO weeks", "monday"),
        ("Monday", "monday"),
        ("Yes, Sunday to Saturday", "sunday"),
        ("weeks that begin on a Sunday", "sunday"),
        ("Not Sunday to Saturday but Monday to Sunday", "monday"),
        ("rolling", "rolling"),
        ("no, the last 14 days", "rolling"),
        ("use rolling weeks please", "rolling"),
        ("Quiz clicks for the last 14 days", None),
        ("clicks since Monday", None),
        ("last Sunday", None),
        ("Saturday to Friday", None),
        ("from Monday 4 May to Sunday 10 May", None),
        ("yes", None),
    ],
)
def test_which_days_a_week_has_is_read_where_it_is_said(text: str, week: str | None) -> None:
    assert read_week(text) == week


# Any text

WORDS = """
and|what about|Quiz|samsung|Café Noir|Glitter|clearance|300 x 250|970x250|"Quiz|'|clicks|cost per|rate|by|per|which|and
creatives|audience|top|5|worst|May|last|two weeks|why|it|only|Nike|für|vs|for|the|?|all advertisers|how is|doing|above 5
""".strip().replace("\n", "|")


@given(
    st.lists(st.sampled_from(WORDS.split("|")), max_size=10), st.lists(st.sampled_from(WORDS.split("|")), max_size=6)
)
@settings(max_examples=60, deadline=None)
def test_any_words_are_read_and_name_only_what_the_warehouse_holds(words: list[str], more: list[str]) -> None:
    first = read_request(" ".join(words), KNOWN)
    for found in (first, read_request(" ".join(more), KNOWN, before=first)):
        assert all(set(names) <= set(NAMES[kind]) for kind, names in found.filters.items())
        assert len(found.unknown) <= 5
        assert Request.model_validate_json(found.model_dump_json()) == found


@given(st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_any_text_is_read(text: str) -> None:
    read_request(text, KNOWN)
    is_agreement(text)
    is_refusal(text)
    read_week(text)


@pytest.mark.parametrize(
    "text", ["x" * 60_000, "Quiz " * 12_000, "may " * 15_000, "'\" " * 20_000, "1 " * 30_000, "A b" * 20_000]
)
def test_a_very_long_text_is_read_from_its_beginning(text: str) -> None:
    assert len(read(text).query) <= 1_000


@pytest.mark.parametrize("word", ["except", "excluding", "without", "but not", "other than"])
def test_what_is_taken_out_is_left_out_and_that_is_said(word: str) -> None:
    request = read(f"How much did we spend in May {word} Quiz?")
    assert request.filters["advertiser"] == tuple(name for name in NAMES["advertiser"] if name != "Quiz")
    assert "Left out: Quiz." in request.assumed


def test_names_in_a_row_are_taken_out_together() -> None:
    gone = NAMES["advertiser"][:2]
    request = read(f"How much did we spend in May except {gone[0]} and {gone[1]}?")
    assert request.filters["advertiser"] == NAMES["advertiser"][2:]


def test_taking_out_all_that_is_named_is_asked_back() -> None:
    assert read("clicks of Quiz in May but not Quiz").doubts


def test_a_month_a_letter_off_is_read_and_that_is_said() -> None:
    request = read("How many clicks did Quiz get in Septembr 2025?")
    assert label(request.period) == "September 2025"
    assert "“Septembr” was read as September." in request.assumed
    assert request.unknown == ()


def test_days_of_the_week_and_shares_are_left_aside_and_that_is_said() -> None:
    assert any("weekends" in said for said in read("Quiz clicks on weekends in May").assumed)
    assert any("share of" in said for said in read("What share of the spend in May is Quiz's?").assumed)


def test_a_number_of_days_beyond_all_data_is_still_a_period() -> None:
    period = read("clicks of Quiz in the last 100000 days").period
    assert period
    assert period.end == KNOWN.last
    assert period.start < KNOWN.first


def test_what_stands_for_a_pronoun_keeps_the_period() -> None:
    before = read("How many clicks did Quiz get in May?")
    text = "how is the spend of Quiz and Samsung doing?"
    assert label(read_request(text, KNOWN, before=before).period) != label(before.period)
    assert label(read_request(text, KNOWN, before=before, points_back=True).period) == label(before.period)


def test_budgets_behind_a_ranking_leave_the_ranking_behind() -> None:
    request = read("and what about its budget?", "Which are the best three creatives of Quiz by CTR in May?")
    assert (request.by, request.metrics, request.limit, request.order) == ((), (), None, None)
    assert label(request.period) == "May 2026"


def test_a_message_that_names_all_starts_afresh_without_a_verb() -> None:
    request = read("Samsung performance in June", "Show the best month of Quiz by revenue")
    assert (request.by, request.metrics, request.order) == ((), (), None)
    assert request.filters == {"advertiser": ("Samsung",)}


def test_two_periods_are_compared_as_wholes_behind_a_series() -> None:
    request = read("compare May with April", "clicks of Quiz by week in May")
    assert (request.by, label(request.compared)) == ((), "April 2026")


def test_what_converts_best_is_told_by_the_rate() -> None:
    assert read("Which audience converts best?").metrics == ("cvr",)
    assert read("the worst converting audience of Quiz").metrics == ("cvr",)
    assert read("Did the Movers convert?").metrics == ("conversions",)


def test_money_that_is_lost_is_told_by_the_return() -> None:
    assert read("Which advertisers lost money in May?").metrics == ("roas",)
