"""Numbers of a text that nobody computed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnkeep.blocks.figures import foreign_figures


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("It costs £12,345.67.", "£12,345.67"),
        ("It costs 12345.67 GBP.", "£12,345.67"),
        ("It costs 12345.67 pounds.", "GBP 12,345.67"),
        ("It costs $499.", "$499.00"),
        ("It costs about £12.3k.", "£12,345.67"),
        ("It costs some £1.2 million.", "£1,234,567"),
        ("It is clicked at 1.04%.", "1.04 %"),
        ("It is clicked at 1.04 percent.", "1.04 %"),
        ("It is clicked at 1,04 %.", "1.04 %"),
        ("It fell by 20 %.", "-20.0 %"),
        ("The rate is 1.9 to one.", "1.90"),
        ("Half is .5 of it.", "0.5"),
        ("It is 12.345,67.", "12345.67"),
        ("It is 1\u202f234 or 1'234.", "1,234"),
        ("It is 12,34,567.", "1234567"),
        ("It has 16GB and 256 GB.", "16 GB, 256GB"),
        ("It is 300x250 and 300 \u00d7 250.", "Boot 300 x 250"),
        ("The S24 is newer.", "Galaxy S24"),
        ("It is version v1.2.3.", "v1.2.3"),
        ("From 18-24 on.", "Ages 18-24"),
        ("Twenty percent of it.", "20 %"),
        ("Two thousand three hundred and five clicks.", "2,305"),
        ("In 6 weeks.", "the six weeks"),
        ("A ROAS of 1.9x.", "1.90"),
        ("It ends at 10:30.", "10:30"),
        ("It is 5 m wide.", "5"),
    ],
)
def test_a_known_number_is_known_however_it_is_spelled(text: str, known: str) -> None:
    assert foreign_figures(text, [known]) == []


@pytest.mark.parametrize(
    ("text", "known", "foreign"),
    [
        ("It costs £12,345.68.", "£12,345.67", ["12,345.68"]),
        ("It costs £12.4k.", "£12,345.67", ["12.4k"]),
        ("It costs £2m.", "£1,512,345", ["2m"]),
        ("It costs £5k.", "£5", ["5k"]),
        ("It costs £5m.", "£5", ["5m"]),
        ("It had 1 click.", "one more of them", ["1"]),
        ("It costs $500 or $499.", "$499.99", ["500", "499"]),
        ("It is 12.345.", "12,345", ["12.345"]),
        ("It is 1.90 %.", "£1.90", ["1.90"]),
        ("It is $1.90.", "£1.90", ["1.90"]),
        ("It rose: +20 %.", "-20.0 %", ["20"]),
        ("It is 728x90.", "Boot 300x250", ["728x90"]),
        ("The S23 is older.", "Galaxy S24", ["S23"]),
        ("It is version v1.2.4.", "v1.2.3", ["v1.2.4"]),
        ("Twenty percent of it.", "18 %", ["Twenty"]),
        ("Three percent of it.", "2 %", ["Three"]),
        ("Fifteen of them.", "14", ["Fifteen"]),
        ("Between 10-25 %.", "10, 20 %", ["25"]),
        ("A, 1 and 7.", "7", ["1"]),
    ],
)
def test_any_other_number_is_foreign(text: str, known: str, foreign: list[str]) -> None:
    assert foreign_figures(text, [known]) == foreign


@pytest.mark.parametrize(
    "text",
    [
        "1. Raise the budget.\n2) Cut the other.\n   10. Wait.",
        "The 2nd and the 3rd of them.",
        "Three orders and the twelve that follow.",
        "First, second and third.",
        "Nothing at all.",
    ],
)
def test_numbers_of_a_list_ordinals_and_small_counts_in_words_are_fine(text: str) -> None:
    assert foreign_figures(text, []) == []


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("From 1 to 14 May 2026.", "2026-05-01, 14 May 2026"),
        ("On the 1st of May.", "2026-05-01"),
        ("On May 1st, 2026.", "1 May 2026"),
        ("In May.", ""),
        ("In May 2026.", "2026-05-31"),
        ("In 2026.", "May 2026"),
        ("The week of 2026-05-03.", "week of 3 May 2026"),
        ("In 2026-05.", "May 2026"),
        ("Jan 5 to 9.", "5 January 2026, 9 January 2026"),
    ],
)
def test_a_date_is_known_in_every_spelling(text: str, known: str) -> None:
    assert foreign_figures(text, [known]) == []


@pytest.mark.parametrize(
    ("text", "known", "foreign"),
    [
        ("From 1 to 15 May 2026.", "1 May 2026, 14 May 2026", ["1 to 15 May 2026"]),
        ("In May 2025.", "May 2026", ["May 2025"]),
        ("In 2025.", "May 2026", ["2025"]),
        ("On 5 May.", "5 June 2026", ["5 May"]),
        ("It made 5 clicks.", "5 May 2026", ["5"]),
        ("It cost £2026.", "May 2026", ["2026"]),
    ],
)
def test_another_date_is_foreign_and_the_parts_of_a_date_are_no_numbers(
    text: str, known: str, foreign: list[str]
) -> None:
    assert foreign_figures(text, [known]) == foreign


def test_all_known_texts_count_and_strangers_come_as_written_and_in_order() -> None:
    text = "Of £7.00 and 8 and £9,999, on 3 May, the 8 are ours."
    assert foreign_figures(text, ["8 clicks", "£7"]) == ["9,999", "3 May"]


def test_the_line_breaks_of_json_part_words() -> None:
    assert foreign_figures('{"text": "first\\n12 clicks"}', ["12"]) == []
    assert foreign_figures("12", ['{"text": "first\\n12 clicks"}']) == []


def test_a_number_without_end_is_foreign_and_no_error() -> None:
    assert foreign_figures("9" * 400, ["1"]) == ["9" * 400]


amounts = st.integers(0, 10**9).map(lambda cents: cents / 100)
spellings = st.sampled_from(["{:,.2f}", "£{:,.2f}", "{:.2f} %", "{:.2f}", "€{:.2f}", "{:,.2f} USD"])


@given(
    values=st.lists(st.tuples(amounts, spellings), min_size=1, max_size=8), joint=st.sampled_from([", ", " and ", "\n"])
)
def test_a_text_built_from_known_figures_is_never_accused(values: list[tuple[float, str]], joint: str) -> None:
    known = [spelling.format(value) for value, spelling in values]
    assert foreign_figures(f"It is {joint.join(known)}.", known) == []


@given(value=amounts, spelling=spellings, place=st.integers(0, 30), step=st.integers(1, 9))
def test_a_changed_digit_is_always_accused(value: float, spelling: str, place: int, step: int) -> None:
    known = spelling.format(value)
    places = [at for at, character in enumerate(known) if character.isdigit()]
    at = places[place % len(places)]
    changed = known[:at] + str((int(known[at]) + step) % 10) + known[at + 1 :]
    assert len(foreign_figures(f"It is {changed} now.", [known])) == 1


@given(text=st.text(max_size=80), known=st.lists(st.text(max_size=40), max_size=3))
def test_any_text_can_be_read_and_knows_itself(text: str, known: list[str]) -> None:
    foreign_figures(text, known)
    assert foreign_figures(text, [text]) == []


@pytest.mark.parametrize("text", ["one " + "million " * 3_000, "one hundred " * 5_000, "9" * 5_000, "1" + ",0" * 2_000])
def test_a_number_beyond_all_bounds_is_foreign_and_no_error(text: str) -> None:
    assert foreign_figures(text, ["It was 12."])
    assert foreign_figures(text, [text]) == []
