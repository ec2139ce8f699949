"""A recorded turn answers its wordings and their near misses, and no other question."""

import random
import string
from collections.abc import Sequence
from itertools import chain

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from turnkeep.records import JSON
from turnkeep_demo.replay import DECLINED, FILLERS, Recording, Recordings, is_typo, tokens

AGENTS = {name: Recordings.of(name) for name in ("campaigns", "products", "regulations")}
EVERY = [(name, one) for name, recordings in AGENTS.items() for one in recordings.every]
WORDS = sorted({word for _, one in EVERY for text in (one.question, *one.asks) for word in tokens(text)})
recorded, chance = st.sampled_from(EVERY), st.randoms(use_true_random=False)


def wording(one: Recording, draw: random.Random) -> str:
    return draw.choice([one.question, *one.asks])


def history(questions: Sequence[str], reply: str = "Here it is.") -> list[JSON]:
    pairs = (({"role": "user", "content": asked}, {"role": "assistant", "content": reply}) for asked in questions)
    return list(chain.from_iterable(pairs))


def content(text: str) -> list[str]:
    return [word for word in tokens(text) if word not in FILLERS]


def typo(word: str, draw: random.Random) -> str:
    at = draw.randrange(1, len(word))
    letter = draw.choice(string.ascii_lowercase)
    swapped = word[:at] + word[at : at + 2][::-1] + word[at + 2 :]
    return draw.choice(
        [word[:at] + letter + word[at:], word[:at] + word[at + 1 :], word[:at] + letter + word[at + 1 :], swapped]
    )


@pytest.mark.parametrize("name", AGENTS)
def test_every_wording_finds_its_turn(name: str) -> None:
    for one in AGENTS[name].every:
        for text in (one.question, *one.asks):
            polite = [f"Please, {text} Thanks!"] if content(text) else []
            for said in (text.upper(), f"  {text.lower()}", *polite):
                found = AGENTS[name].find(said, history(one.before))
                assert found is not None, said
                assert found.calls == one.calls, said


@given(recorded, chance)
def test_a_near_miss_finds_its_turn(pair: tuple[str, Recording], draw: random.Random) -> None:
    """One long word has a typo, and small words are left out."""
    name, one = pair
    said = wording(one, draw).split()
    long = [at for at, word in enumerate(said) if len(word) > 5 and word.isascii() and word.isalpha()]
    assume(long and set(tokens(" ".join(said))) - FILLERS)
    place = draw.choice(long)
    wrong = typo(said[place].lower(), draw)
    assume(wrong not in WORDS and is_typo(wrong, said[place].lower()))
    small = {at for at, word in enumerate(said) if at != place and FILLERS.issuperset(tokens(word))}
    said[place] = wrong
    text = " ".join(word for at, word in enumerate(said) if at not in small or draw.random() < 0.5)
    found = AGENTS[name].find(text, history(one.before))
    assert found is not None, text
    assert found.calls == one.calls, text


@given(recorded, chance, st.sampled_from([*WORDS, "not", "never", "2024", "7", "Nike", "Siemens"]))
def test_another_word_is_another_question(pair: tuple[str, Recording], draw: random.Random, other: str) -> None:
    """A name, a number, a period: in place of a word that carries meaning, or more than was asked."""
    name, one = pair
    said = list(tokens(wording(one, draw)))
    at = draw.randrange(len(said))
    said[at : at + draw.randrange(2)] = [other]
    text = " ".join(said)
    found = AGENTS[name].find(text, history(one.before))
    same = [content(asked) for asked in (found.question, *found.asks)] if found else []
    assert found is None or any(is_same(content(text), asked) for asked in same), text


def is_same(said: Sequence[str], asked: Sequence[str]) -> bool:
    """The same words, but for a plural."""
    return [word.rstrip("s") for word in said] == [word.rstrip("s") for word in asked]


@given(recorded, st.sampled_from(sorted(AGENTS)))
def test_a_question_of_another_agent_is_declined(pair: tuple[str, Recording], other: str) -> None:
    name, one = pair
    assume(
        name != other and all(set(content(one.question)) != set(content(ours.question)) for ours in AGENTS[other].every)
    )
    found = AGENTS[other].find(one.question)
    assert found is None or one.question in found.asks


@pytest.mark.parametrize("name", AGENTS)
def test_a_follow_up_needs_what_it_follows(name: str) -> None:
    alone = [one.calls for one in AGENTS[name].every if not one.before]
    for one in (each for each in AGENTS[name].every if each.before):
        declined = history(one.before, reply=f"{DECLINED} Sorry.")
        for conversation in ([], history(["What is the weather in Paris?"]), declined):
            found = AGENTS[name].find(one.question, conversation)
            assert found is None or found.calls in alone, one.question


def test_two_turns_that_would_do_are_none() -> None:
    both = [Recording("Clicks of Quiz", {"read": 1}), Recording("Clicks for Quiz", {"read": 2})]
    assert Recordings(both).find("Clicks Quiz") is None
    assert Recordings(both).find("clicks of quiz") == both[0]


def test_a_decline_names_the_nearest_questions() -> None:
    said = AGENTS["campaigns"].decline("What was the revenue of Nike by month?")
    assert said.startswith(DECLINED)
    assert "“Show the revenue of Larkspur" in said


@pytest.mark.parametrize("text", ["the " * 5_000, "quiz " * 5_000, "", "?", "\u2019"])
def test_any_text_is_compared_quickly(text: str) -> None:
    assert all(recordings.find(text) is None for recordings in AGENTS.values())
