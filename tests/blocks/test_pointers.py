import pytest

from turnkeep.blocks.grammar import Reading
from turnkeep.blocks.pointers import what_points_back


def reason(text):
    return what_points_back(Reading(text, 1_000))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Who designed it?", "a pronoun stands for something said before"),
        ("Its towers sway in wind", "a pronoun stands for something said before"),
        ("Describe it\u2019s towers and cables", "a pronoun stands for something said before"),
        ("How do the cables hold that?", "this, that or there points back"),
        ("Does the wind move those towers?", "this, that or there points back"),
        ("What may ships carry there?", "this, that or there points back"),
        ("Tell me about the longer one", "a word such as one, other or same points back"),
        ("Do engineers prefer another crossing?", "a word such as one, other or same points back"),
        ("Is the deck built of the same concrete?", "a word such as one, other or same points back"),
        ("How do ferries differ?", "a word such as one, other or same points back"),
        ("Are ferries cheaper?", "it compares with something unsaid"),
        ("and for lorries?", "it goes on from the last message"),
        ("What about the toll for lorries?", "it goes on from the last message"),
        ("No, the toll for lorries", "it reacts to what was said"),
        ("I drive a lorry. Do I pay a toll?", "it reacts to what was said"),
        ("lorry toll", "it is only part of a sentence"),
        ("What are the main drawbacks?", "it leaves out of what"),
        ("What are the costs and benefits?", "it leaves out of what"),
        ("Can you explain more?", "it names no topic"),
    ],
)
def test_what_points_back_is_told_in_a_few_words(message, expected):
    assert reason(message) == expected


@pytest.mark.parametrize(
    "message",
    [
        "Does iron with carbon make italic steel in Thessaly?",
        "Is it true that Vitruvius wrote a book about Roman bridges?",
        "How long does it take to paint the Forth Bridge?",
        "Are there tolls on the Humber Bridge this year?",
        "What is rust and why does it spread?",
        "If the deck sways, should lorries avoid it?",
        "Is concrete cheaper than steel?",
        "Is concrete or steel cheaper?",
        "How do concrete and steel differ?",
        "Do both concrete and steel rust?",
        "What are the costs and benefits of suspension bridges?",
        "Can I use the bridge by bicycle?",
        "Which crossing took more than one year to build?",
        "I know that steel bridges rust",
        "Does concrete weigh more than other stone?",
        "Do concrete and steel need the same paint?",
        "old postcards of concrete bridges near Hull",
    ],
)
def test_what_can_be_understood_within_the_message_points_nowhere(message):
    assert reason(message) is None
