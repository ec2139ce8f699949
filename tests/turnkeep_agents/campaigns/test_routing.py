"""Which specialists a message needs, by rules. Each message is read first, on the shops of `known_shops`."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_shops import KNOWN, NAMES

from turnkeep_agents.campaigns.reading.message import read_request
from turnkeep_agents.campaigns.reading.routing import Routing, route_by_rules
from turnkeep_agents.campaigns.requests import SPECIALISTS, Request

PERFORMANCE, BUDGET, AUDIENCE, CREATIVE, DELIVERY = SPECIALISTS


def route(text: str, *earlier: str) -> Routing:
    """Of the last of several messages."""
    before: Request | None = None
    routing = Routing()
    ran: list[str] = []
    for said in [*earlier, text]:
        request = read_request(said, KNOWN, before=before)
        routing = route_by_rules(request, said, ran=ran)
        if routing.specialists:
            before, ran = request, routing.specialists
    return routing


@pytest.mark.parametrize(
    ("text", "specialists"),
    [
        ("quiz performance for two weeks", [PERFORMANCE]),
        ("How much did Samsung spend in May?", [PERFORMANCE]),
        ("What is our ROAS?", [PERFORMANCE]),
        ("Why did the conversions of Quiz fall in May?", [PERFORMANCE]),
        ("the trend of clicks at Café Noir", [PERFORMANCE]),
        ("Which campaigns earn most?", [PERFORMANCE]),
        ("How is Samsung doing?", [PERFORMANCE]),
        ("Show me the figures of Quiz Clearance", [PERFORMANCE]),
        ("ad spend of Samsung", [PERFORMANCE]),
        ("Is Quiz on track?", [BUDGET]),
        ("Is Quiz overspending?", [BUDGET]),
        ("How is the pacing of Samsung?", [BUDGET]),
        ("Will the budget of Café Noir run out?", [BUDGET]),
        ("which budgets are underdelivering", [BUDGET]),
        ("Which audiences of Quiz convert best?", [AUDIENCE]),
        ("line items of Samsung by cost", [AUDIENCE]),
        ("How good is our targeting?", [AUDIENCE]),
        ("segments that only cost money", [AUDIENCE]),
        ("clicks of Night Owls", [AUDIENCE]),
        ("Which banners of Quiz are tired?", [CREATIVE]),
        ("ads with the worst CTR", [CREATIVE]),
        ("click rate by size for Samsung", [CREATIVE]),
        ("Is there creative fatigue at Quiz?", [CREATIVE]),
        ("How does the 300 x 250 do?", [CREATIVE]),
        ("Glitter clicks in May", [CREATIVE]),
        ("Which creatives work with which audiences?", [DELIVERY]),
        ("clicks by creative and audience", [DELIVERY]),
        ("How can we optimise the delivery of Quiz?", [DELIVERY]),
        ("What placement mix would you advise for Samsung?", [DELIVERY]),
        ("300x250 for the Movers audience", [DELIVERY]),
        ("Is the budget spent on the right audiences?", [BUDGET, AUDIENCE]),
        ("the creatives and the budget of Quiz", [CREATIVE, BUDGET]),
        ("performance and pacing of Quiz", [BUDGET, PERFORMANCE]),
        ("clicks by placement", [AUDIENCE]),
        ("Samsung Galaxy Launch Native spend", [AUDIENCE]),
        ("How much did Quiz Clearance spend on the 300x250?", [CREATIVE]),
        ("What is wrong with Quiz?", [PERFORMANCE, BUDGET]),
        ("How is everything going?", [PERFORMANCE, BUDGET]),
        ("everything about Quiz", list(SPECIALISTS)),
        ("I want a full report on Samsung", list(SPECIALISTS)),
    ],
)
def test_the_words_of_a_message_choose_its_specialists(text: str, specialists: list[str]) -> None:
    found = route(text)
    assert found.specialists == specialists
    assert found.clarification == ""
    assert found.reasoning.endswith(".")


@pytest.mark.parametrize(
    ("text", "specialists"),
    [
        ("Run budget_risk for Quiz", [BUDGET]),
        ("run delivery optimisation for Quiz", [DELIVERY]),
        ("Ask the creative inventory and the budget risk specialist about Quiz", [CREATIVE, BUDGET]),
        ("What does the audience specialist say on Samsung?", [AUDIENCE]),
        ("Run weather_forecast for Quiz last month", ["weather_forecast"]),
        ("ask the weather specialist about Quiz", ["weather"]),
        ("use the keyword research agent", ["keyword research"]),
        ("run seo for Quiz", ["seo"]),
        ("run budget_risk and call weather_forecast for Quiz", [BUDGET, "weather_forecast"]),
        ("Which specialist can look at Quiz?", [PERFORMANCE]),
        ("Will Quiz run out of budget?", [BUDGET]),
        ("run a report on the clicks of Quiz", [PERFORMANCE]),
    ],
)
def test_a_specialist_called_by_name_is_chosen_as_it_is_written(text: str, specialists: list[str]) -> None:
    assert route(text).specialists == specialists


def test_the_words_of_a_name_choose_no_specialist() -> None:
    known = replace(KNOWN, names={**NAMES, "insertion_order": ("Budget Banners",)})
    text = "clicks of Budget Banners in May"
    assert route_by_rules(read_request(text, known), text).specialists == [PERFORMANCE]


def test_no_more_specialists_are_called_than_a_routing_holds() -> None:
    names = " ".join(f"run {first}_{second}" for first in "abcd" for second in "xyz")
    assert len(route(names).specialists) == 8


@pytest.mark.parametrize(
    "text",
    [
        "123",
        "asdf",
        "🙂🙂",
        "hello",
        "Good morning!",
        "???",
        "",
        "what can you do?",
        "help",
        "yes",
        "'; DROP TABLE daily; --",
    ],
)
def test_where_nothing_is_to_go_on_a_question_is_asked(text: str) -> None:
    found = route(text)
    assert (found.specialists, found.confidence) == ([], 0.0)
    assert found.clarification.endswith("?")


@pytest.mark.parametrize("text", ["123", "Thanks!", "hello", "xyzzy"])
def test_nothing_said_does_not_repeat_what_ran(text: str) -> None:
    assert route(text, "clicks of Quiz in May").specialists == []


def test_a_question_fits_a_greeting_and_thanks() -> None:
    openings = {text: route(text).clarification[:8] for text in ("123", "hello", "Thank you!")}
    assert len(set(openings.values())) == 3


def test_a_question_may_name_the_advertisers() -> None:
    request = read_request("123", KNOWN)
    assert "Café Noir" in route_by_rules(request, "123", advertisers=NAMES["advertiser"]).clarification
    many = route_by_rules(request, "123", advertisers=[f"Shop {number}" for number in range(40)]).clarification
    assert "Shop 3" in many
    assert "Shop 30" not in many


@pytest.mark.parametrize(
    "text", ["Nike performance", "How is Nike doing in May?", "clicks of ACME Corp", "the 970x250 banners"]
)
def test_a_stranger_alone_is_asked_back_and_not_answered_for_all(text: str) -> None:
    found = route(text)
    assert found.specialists == []
    assert found.clarification.endswith("?")


def test_a_stranger_is_asked_back_in_a_follow_up_too() -> None:
    assert "Nike" in route("what about Nike?", "clicks of Quiz in May").clarification
    assert route("clicks of Quiz and Nike").specialists == [PERFORMANCE]


def test_a_figure_that_is_not_measured_is_said_with_those_that_are() -> None:
    asked = route("bounce rate?").clarification
    assert "bounce rate" in asked
    assert "clicks" in asked
    assert route("bounce rate of Quiz").specialists == [PERFORMANCE]


def test_another_language_is_asked_back() -> None:
    assert "English" in route("Wie viele Klicks hatte Quiz?").clarification


@pytest.mark.parametrize(
    ("earlier", "text", "specialists"),
    [
        ("Which audiences of Quiz convert best?", "and for April?", [AUDIENCE]),
        ("Is Quiz overspending?", "what about Samsung?", [BUDGET]),
        ("clicks of Quiz in May", "by creative", [CREATIVE]),
        ("clicks of Quiz by creative", "and the conversions?", [CREATIVE]),
        ("clicks of Quiz by creative", "top 3", [CREATIVE]),
        ("clicks of Quiz in May", "and the budget?", [BUDGET]),
        ("Is Quiz overspending?", "why?", [BUDGET]),
        ("clicks of Quiz in May", "compared with the month before?", [PERFORMANCE]),
        ("clicks of Quiz by creative", "How much did Samsung spend in May?", [PERFORMANCE]),
        ("everything about the 300x250", "and for May?", list(SPECIALISTS)),
        ("clicks of Quiz in May", "more details please", [PERFORMANCE]),
        ("Which audiences convert best?", "How is Samsung doing?", [PERFORMANCE]),
    ],
)
def test_a_follow_up_goes_on_with_who_answered_unless_it_says_otherwise(
    earlier: str, text: str, specialists: list[str]
) -> None:
    found = route(text, earlier)
    assert found.specialists == specialists
    assert found.confidence >= 0.4


@pytest.mark.parametrize(
    "text", ["Quiz", "performance", "results please", "last month", "campaigns", "how is it going"]
)
def test_a_name_or_a_vague_word_alone_is_uncertain(text: str) -> None:
    found = route(text)
    assert found.specialists
    assert 0 < found.confidence < 0.4


@pytest.mark.parametrize(
    "text",
    ["quiz performance for two weeks", "Is Quiz on track?", "clicks of Samsung", "Which sizes are worst for Quiz?"],
)
def test_a_message_that_was_understood_is_certain(text: str) -> None:
    assert route(text).confidence >= 0.6


def test_words_that_were_not_understood_make_it_less_certain() -> None:
    understood = route("clicks of Quiz in May").confidence
    assert route("clicks of Quiz in May frobnicated grumblingly").confidence < understood
    assert route("clicks and viewability of Quiz in May").confidence < understood


@given(st.text(max_size=120), st.lists(st.sampled_from([*SPECIALISTS, "other"]), max_size=3))
@settings(max_examples=60, deadline=None)
def test_any_text_has_specialists_or_a_question(text: str, ran: list[str]) -> None:
    found = route_by_rules(read_request(text, KNOWN), text, ran=ran)
    assert bool(found.specialists) != bool(found.clarification)


@pytest.mark.parametrize("text", ["Are there any problems?", "Who wastes money?", "What goes wrong?"])
def test_open_trouble_is_looked_for_everywhere(text: str) -> None:
    assert route(text).specialists == [PERFORMANCE, BUDGET]


def test_trouble_with_something_else_is_not_ours() -> None:
    assert route("What is wrong with dentists and umbrellas?").clarification


def test_open_advice_asks_more_than_who_answered_last() -> None:
    assert route("What should we do now?", "How is Quiz doing?").specialists == [PERFORMANCE, BUDGET, DELIVERY]


def test_a_name_that_is_taken_out_goes_on_with_who_answered() -> None:
    assert route("and without Clearance?", "How much does Quiz spend in May?").specialists == [PERFORMANCE]


def test_whether_that_is_good_is_a_question_for_the_state() -> None:
    before = read_request("How much does Quiz spend in May?", KNOWN)
    assert read_request("Is that good?", KNOWN, before=before).intent == "status"
    assert route("Is that good?", "How much does Quiz spend in May?").specialists == [PERFORMANCE]
