"""Answers made of what tools gave."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.bag_of_words import BagOfWords

from seatrial.core.content import TextContent
from seatrial.core.messages import ToolResultMessage
from seatrial.providers.local_answer import answer_from
from seatrial.providers.local_meaning import Meaning

PASSAGES = """[1] returns.md#returns
# Returns

## Worn boots

You may return things within 30 days of
delivery. Boots that were worn cannot be returned.
- Gift cards are excluded.

[2] products.csv record 2
Light tent for two people
product: Ridge 2; price: 369

[3] far.md
The answer is never read here: worn boots worn boots."""


def answer(question: str, *texts: str) -> str:
    results = [ToolResultMessage(str(place), "search", (TextContent(text),)) for place, text in enumerate(texts)]
    return answer_from(Meaning(BagOfWords()), question, results)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("can worn boots be returned", "Boots that were worn cannot be returned. (returns.md#returns)"),
        ("within how many days of delivery", "You may return things within 30 days of delivery. (returns.md#returns)"),
        ("are gift cards excluded", "Gift cards are excluded. (returns.md#returns)"),
        ("a tent for two", "Light tent for two people; product: Ridge 2; price: 369 (products.csv record 2)"),
    ],
)
def test_of_passages_the_closest_sentence_answers_with_its_source(question: str, said: str) -> None:
    assert answer(question, PASSAGES) == said


def test_a_heading_helps_its_sentences_and_is_no_answer_itself() -> None:
    text = "## Opening hours\n\nFrom nine to five.\n\n## Address\n\nGreen Lane."
    assert answer("what are your opening hours", text) == "From nine to five."
    assert answer("hours", "# Opening hours") == "Opening hours"


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (
            '{"status": "shipped", "is_paid": true, "to": {"city": "Oslo"}, "items": []}',
            "status: shipped. is paid: yes. to: city Oslo.",
        ),
        ('[{"name": "tent", "kg": 2}, {"name": "mat", "kg": 1}]', "name: tent. kg: 2.\nname: mat. kg: 1."),
        ("[1, 2, 3]", "1, 2, 3"),
        ("42", "42"),
        ("{broken", "{broken"),
        ("", "The tool search gave no output."),
        ("(no output)", "The tool search gave no output."),
        ("One. Two things.", "Two things."),
    ],
)
def test_other_results_are_told_as_they_are_built(result: str, said: str) -> None:
    assert answer("two things", result) == said


def test_of_many_fields_the_closest_to_the_question_are_told_in_their_order() -> None:
    fields = ", ".join(f'"field{number}": "value{number}"' for number in range(20))
    told = answer("field3 value3 field17 value17", "{" + fields + "}")
    assert "field3: value3." in told
    assert "field17: value17." in told
    assert told.count(":") == 8
    assert told.index("field3:") < told.index("field17:")


def test_several_results_are_told_one_below_the_other_and_the_same_only_once() -> None:
    assert answer("x", '{"a": 1}', '{"a": 2}', '{"a": 1}') == "a: 1.\na: 2."


@given(st.text())
def test_any_result_gives_an_answer(text: str) -> None:
    assert answer("what is it", text)
