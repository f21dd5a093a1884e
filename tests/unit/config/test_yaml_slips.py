"""A slip with quotes is told where it was made, not where the parser noticed it; and it hides no other."""

from __future__ import annotations

import pytest
from tests.unit.config.conftest import Load, told

HEAD = "name: shop\nmodel: openai:gpt-4o-mini\ninstructions: Answer.\n"
CASES = "test_cases:\n  - input: How much?\n    checks:\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        (CASES + '      - contains: "99\n      - contains: "12"\n', 7, 19, "close it"),
        ('description: "$NAME is here\nauthor: me\n' + CASES + '      - contains: "12"\n', 4, 14, "close it"),
        ("test_cases:\n  - input: 'What's with my dog?'\n    checks: none\n", 5, 17, "'' for an apostrophe"),
        ("test_cases:\n  - {input: 'What's with my dog?', checks: none}\n", 5, 18, "'' for an apostrophe"),
        ('description: "He said "hi" to me"\n', 4, 23, 'write \\"'),
        (CASES + "      - contains: *half a year\n", 7, 19, "put the text in quotes"),
        (CASES + "      - contains: *half\n", 7, 19, "needs quotes"),
        (CASES + "      - contains: *.md\n", 7, 19, "put the text in quotes"),
        (CASES + "      - contains: **/*.md\n", 7, 19, "put the text in quotes"),
        (CASES + "      - contains: [a, *.md]\n", 7, 23, "put the text in quotes"),
        (CASES + "      - contains: @half\n", 7, 19, "put the text in quotes"),
        (CASES + "      - contains: %half\n", 7, 19, "put the text in quotes"),
    ],
)
def test_a_slip_with_quotes_is_told_where_it_was_made(load: Load, text: str, line: int, column: int, said: str) -> None:
    (finding,) = load(HEAD + text).diagnostics
    assert (finding.line, finding.column) == (line, column)
    assert said in (finding.hint or "")
    assert finding.severity == "error"


def test_two_syntax_errors_and_what_is_wrong_behind_them_are_told_at_once(load: Load) -> None:
    text = (
        "limits:\n\tmax_turns: 0\nauthor: 'me\ndescription: Hi: there\n"
        + CASES
        + '      - contains: "99\n      - regex: "("\n'
    )
    assert told(load(HEAD + text)) == [
        (5, "ST107"),
        (6, "ST101"),
        (7, "ST101"),
        (11, "ST101"),
        (5, "ST405"),
        (12, "ST408"),
    ]


def test_text_that_runs_over_lines_in_quotes_is_no_slip(load: Load) -> None:
    text = "description: 'Note: this\n  goes on: and on'\nauthor: |\n  it's \"open\nlimits: [a\n"
    assert [finding.line for finding in load(HEAD + text).errors] == [8]


def test_a_word_with_an_ampersand_is_a_warning_unless_something_refers_to_it(load: Load) -> None:
    (finding,) = load(HEAD + "test_cases:\n  - input: &half a year\n    checks: none\n").diagnostics
    assert (finding.severity, finding.code, finding.line, finding.column) == ("warning", "ST512", 5, 12)
    assert load(HEAD + "description: &about Prices.\nauthor: *about\n").diagnostics == ()
