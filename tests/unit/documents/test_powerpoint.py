from __future__ import annotations

import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from tests.support.office_files import deck, deck_of, word

from seatrial.errors import DocumentError

BOX = (Inches(1), Inches(1), Inches(4), Inches(3))
THREE = deck_of([("Welcome", "To the shop"), ("Returns", "Within 30 days"), ("", "No title here")])


def test_each_slide_is_a_section_with_its_title(read) -> None:
    document = read("a.pptx", THREE)
    assert document.text == "## Welcome\n\nTo the shop\n\n## Returns\n\nWithin 30 days\n\n## Slide 3\n\nNo title here"
    assert [section.place for section in document.sections] == ["slide 1", "slide 2", "slide 3"]


def test_h014_pages_are_slides_and_count_from_1(read) -> None:
    assert read("a.pptx", THREE, pages=(2,)).text == "## Returns\n\nWithin 30 days"
    with pytest.raises(DocumentError, match="no slide 4; it has 3 slides"):
        read("a.pptx", THREE, pages=(4,))


def test_tables_charts_groups_and_notes_are_read(read) -> None:
    def fill(presentation) -> None:
        slide = presentation.slides.add_slide(presentation.slide_layouts[5])
        slide.shapes.title.text = "Numbers"
        table = slide.shapes.add_table(2, 2, *BOX).table
        for (row, column), text in {(0, 0): "Item", (0, 1): "Sum", (1, 0): "Pen", (1, 1): "4.5"}.items():
            table.cell(row, column).text = text
        data = CategoryChartData()
        data.categories = ["Q1", "Q2"]
        data.add_series("Sales", (19.0, 21.5))
        slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *BOX, data)
        group = slide.shapes.add_group_shape()
        group.shapes.add_textbox(*BOX).text_frame.text = "inside a group"
        slide.notes_slide.notes_text_frame.text = "Say it slowly."

    assert read("a.pptx", deck(fill)).text == (
        "## Numbers\n\n| Item | Sum |\n| --- | --- |\n| Pen | 4.5 |\n\n"
        "|  | Sales |\n| --- | --- |\n| Q1 | 19 |\n| Q2 | 21.5 |\n\n"
        "inside a group\n\nNotes: Say it slowly."
    )


def test_p013_a_slide_without_text_is_told(read) -> None:
    def fill(presentation) -> None:
        for text in ("words", None):
            slide = presentation.slides.add_slide(presentation.slide_layouts[6])
            if text:
                slide.shapes.add_textbox(*BOX).text_frame.text = text

    assert "slide 2 without text" in str(read("a.pptx", deck(fill)).problems[0])
    with pytest.raises(DocumentError, match="slide 2 hold"):
        read("a.pptx", deck(fill), pages=(2,))


def test_damage_and_other_types_are_errors(read) -> None:
    for data, said in (
        (b"", "is empty"),
        (b"text", "is no PowerPoint deck"),
        (word(lambda document: document.add_paragraph("x")), "but no PowerPoint deck"),
        (deck(lambda _presentation: None), "has no slides"),
    ):
        with pytest.raises(DocumentError, match=said):
            read("a.pptx", data)
