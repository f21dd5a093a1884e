"""What changed in an agent's files: keys with both values, texts line by line."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from seatrial.runs.changes import Changes, FileChange, KeyChange, changes_between
from seatrial.runs.records import Source


def source(text: str, path: str = "agent.yaml") -> Source:
    return Source(path, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), text)


def changes(before: str, after: str, path: str = "agent.yaml") -> Changes:
    return changes_between([source(before, path)], [source(after, path)])


BEFORE = """\
name: shop
model: {provider: openai, name: gpt-a, temperature: 0.1}
instructions: |
  Answer briefly.
  Be kind.
tools:
  - {name: search, type: function, file: a.py, function: f}
  - {name: price, type: function, file: a.py, function: g}
evaluations:
  metrics:
    - {metric: f1_score, threshold: 0.5}
test_cases:
  - {name: one, input: Hi}
"""


def test_each_key_is_told_with_its_old_and_new_value() -> None:
    after = BEFORE.replace("0.1", "0.7").replace("file: a.py, function: g", "file: b.py, function: g")
    assert changes(BEFORE, after).keys == (
        KeyChange("agent.yaml", "model.temperature", "changed", 0.1, 0.7),
        KeyChange("agent.yaml", "tools[price].file", "changed", "a.py", "b.py"),
    )


def test_entries_are_known_by_their_names_wherever_they_stand() -> None:
    new = "  - {name: zero, type: function, file: a.py, function: z}\n"
    found = changes(BEFORE, BEFORE.replace("tools:\n", f"tools:\n{new}")).keys
    assert [(change.key, change.kind) for change in found] == [("tools[zero]", "added")]
    gone = changes(BEFORE.replace("tools:\n", f"tools:\n{new}"), BEFORE).keys
    assert [(change.key, change.kind) for change in gone] == [("tools[zero]", "removed")]


def test_instructions_are_told_as_a_diff() -> None:
    (inline,) = changes(BEFORE, BEFORE.replace("Be kind.", "Be exact.")).keys
    assert inline.diff == (" Answer briefly.", "-Be kind.", "+Be exact.")
    (file,) = changes("One.\nTwo.\n", "One.\nThree.\n", "instructions.md").files
    assert file == FileChange("instructions.md", "changed", (" One.", "-Two.", "+Three."))


def test_comments_and_layout_are_no_change_of_the_agent() -> None:
    found = changes(BEFORE, "# a note\n" + BEFORE)
    assert (found.keys, found.files) == ((), (FileChange("agent.yaml", "layout"),))
    assert changes(BEFORE, BEFORE) == Changes()


def test_the_order_of_a_plain_list_is_a_change() -> None:
    (found,) = changes("steps: [a, b]\n", "steps: [b, a]\n").keys
    assert (found.key, found.old, found.new) == ("steps", ["a", "b"], ["b", "a"])


def test_changed_cases_and_metrics_are_a_changed_measure() -> None:
    assert changes(BEFORE, BEFORE.replace("threshold: 0.5", "threshold: 0.1")).touches_measure
    assert changes(BEFORE, BEFORE.replace("input: Hi", "input: Ho")).touches_measure
    assert not changes(BEFORE, BEFORE.replace("gpt-a", "gpt-b")).touches_measure


def test_files_that_come_and_go_are_named_and_a_baseline_knows_only_that_they_changed() -> None:
    found = changes_between([source("a", "x.md")], [source("a", "y.md")])
    assert {(file.file, file.kind) for file in found.files} == {("x.md", "removed"), ("y.md", "added")}
    kept = Source("agent.yaml", "00", "")
    assert changes_between([kept], [source(BEFORE)]).files == (FileChange("agent.yaml", "changed"),)
    assert not changes_between([], [source(BEFORE)]).is_known


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_the_files_hold_something_is_told_where_they_differ(before: str, after: str) -> None:
    found = changes(before, after)
    is_same = source(before).sha256 == source(after).sha256
    assert bool(found.keys or found.files) is not is_same
