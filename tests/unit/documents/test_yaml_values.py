from __future__ import annotations

import pytest

from seatrial.errors import DocumentError


def test_p013_values_are_the_text_of_the_file(read) -> None:
    document = read("a.yaml", "- {code: 0123, ok: no, at: 12:30, day: 2026-01-05, n: 1.50}\n- text: two\n")
    assert [dict(record.fields) for record in document.records] == [
        {"code": "0123", "ok": "no", "at": "12:30", "day": "2026-01-05", "n": "1.50"},
        {"text": "two"},
    ]


def test_h006_record_path_leads_to_the_records(read) -> None:
    document = read("a.yml", "data:\n  items:\n    - text: one\n    - text: two\n", record_path="data.items")
    assert [dict(record.fields) for record in document.records] == [{"text": "one"}, {"text": "two"}]


def test_several_documents_are_a_list(read) -> None:
    assert len(read("a.yaml", "text: one\n---\ntext: two\n").records) == 2


def test_broken_yaml_names_line_and_column(read) -> None:
    with pytest.raises(DocumentError, match=r"a\.yaml:2:\d+: this is not YAML"):
        read("a.yaml", "a: [1,\nb: }")
    with pytest.raises(DocumentError, match="is empty"):
        read("a.yaml", "# only a comment\n")


def test_a_small_file_that_stands_for_billions_is_refused(read) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(DocumentError, match="aliases counted each time"):
        read("a.yaml", "\n".join(lines))


def test_code_in_tags_is_not_run(read) -> None:
    assert read("a.yaml", "a: !!python/object/apply:os.system ['echo']").records is not None
