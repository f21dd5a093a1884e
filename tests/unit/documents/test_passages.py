from __future__ import annotations

import json

import pytest

from seatrial.documents.passages import FieldSettings, passages_of
from seatrial.errors import DocumentError

PRODUCTS = "sku,name,description,price\nA-01,Mug,A blue mug made of stone,12.50\nA-02,Pot,A green pot for tea,29.00\n"


def test_h006_one_vector_field_is_the_text_itself(read) -> None:
    found = passages_of(read("a.csv", PRODUCTS), FieldSettings(vector_fields=("description",), meta_fields=("sku",)))
    assert [(passage.text, passage.metadata) for passage in found] == [
        ("A blue mug made of stone", {"sku": "A-01"}),
        ("A green pot for tea", {"sku": "A-02"}),
    ]


def test_h006_several_vector_fields_are_joined_with_their_names(read) -> None:
    found = passages_of(read("a.csv", PRODUCTS), FieldSettings(vector_fields=("name", "description")))
    assert found[0].text == "name: Mug\ndescription: A blue mug made of stone"
    assert found[0].metadata == {"sku": "A-01", "price": "12.50"}


def test_h006_the_text_fields_are_found_by_themselves(read) -> None:
    found = passages_of(read("a.csv", PRODUCTS), FieldSettings())
    assert found[1].text == "name: Pot\ndescription: A green pot for tea"
    one = passages_of(read("b.jsonl", '{"id":"x1","url":"https://a.b/c d e f","text":"alpha"}'), FieldSettings())
    assert one[0].text == "alpha"
    assert one[0].metadata == {"id": "x1", "url": "https://a.b/c d e f"}


def test_h006_a_table_of_codes_alone_is_searched_by_all_of_them(read) -> None:
    found = passages_of(read("a.csv", "code,count\nX-1,4\n"), FieldSettings())
    assert found[0].text == "code: X-1\ncount: 4"


def test_h006_prefixes_keep_names_of_records_and_metadata_apart(read) -> None:
    value = {"shop": {"city": "Riga", "items": [{"id": 7, "text": "a cup", "note": "n"}]}}
    document = read("a.json", json.dumps(value), record_path="shop.items")
    settings = FieldSettings(("text",), ("id", "city"), record_prefix="item_", meta_prefix="meta_")
    assert passages_of(document, settings)[0].metadata == {"meta_id": 7, "meta_city": "Riga"}
    every = FieldSettings(("text", "note"), record_prefix="item_")
    assert passages_of(document, every)[0].text == "item_text: a cup\nitem_note: n"
    assert passages_of(document, every)[0].metadata == {"item_id": 7}


def test_h020_a_separator_joins_the_fields_without_their_names(read) -> None:
    settings = FieldSettings(("name", "description"), separator=" | ", id_field="sku")
    (first, _) = passages_of(read("a.csv", PRODUCTS), settings)
    assert (first.text, first.place) == ("Mug | A blue mug made of stone", "A-01")


def test_h006_dots_lead_into_nested_objects(read) -> None:
    document = read("a.jsonl", '{"body": {"text": "hello there"}, "a.b": 1, "tags": ["x", "y"]}')
    settings = FieldSettings(("body.text",), ("a.b", "tags"))
    assert passages_of(document, settings)[0].text == "hello there"
    assert passages_of(document, settings)[0].metadata == {"a.b": 1, "tags": ["x", "y"]}


@pytest.mark.parametrize("settings", [FieldSettings(("descripton",)), FieldSettings(("name",), ("descripton",))])
def test_h006_a_field_that_is_nowhere_is_an_error_with_the_nearest_name(read, settings: FieldSettings) -> None:
    with pytest.raises(DocumentError, match="'descripton' is in none of its records") as caught:
        passages_of(read("a.csv", PRODUCTS), settings)
    assert caught.value.hint == "did you mean 'description'?"


def test_a_record_whose_text_is_blank_is_no_passage(read) -> None:
    document = read("a.jsonl", '{"text":"one"}\n{"text":"  "}\n{"text":null}\n{"other":1}\n')
    assert [passage.place for passage in passages_of(document, FieldSettings(("text",)))] == ["record 1"]


def test_values_read_as_people_write_them(read) -> None:
    document = read("a.jsonl", '{"a":true,"b":12.5,"c":["x",1],"d":{"e":"f","g":null},"h":null}')
    fields = FieldSettings(("a", "b", "c", "d", "h"))
    assert passages_of(document, fields)[0].text == "a: true\nb: 12.5\nc: x, 1\nd: e: f"


def test_half_a_character_in_json_does_no_harm(read) -> None:
    document = read("a.jsonl", '{"text":"broken \\ud83d smile","x\\ud83d":"y\\ud83d","z":["\\ud83d"]}')
    (passage,) = passages_of(document, FieldSettings(("text",)))
    assert (passage.text, passage.metadata) == ("broken ? smile", {"x?": "y?"})
    (passage,) = passages_of(document, FieldSettings(("text",), ("z",)))
    assert passage.metadata == {"z": ["?"]}
