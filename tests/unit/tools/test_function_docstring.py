import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.tools.docstring import ParameterDoc, read_docstring

GOOGLE = """Find a book.

    Looks in all shelves.

    Args:
        title (str): The title, or
            a part of it.
        *shelves: Where to look: all by default.

    Raises:
        KeyError: never.
    """
NUMPY = """Find a book.

    Looks in all shelves.

    Parameters
    ----------
    title : str
        The title, or
        a part of it.
    *shelves
        Where to look: all by default.

    Returns
    -------
    str
        The book.
    """
SPHINX = """Find a book.

    Looks in all shelves.

    :param str title: The title, or
        a part of it.
    :param shelves: Where to look: all by default.
    :returns: The book.
    """
EPYTEXT = """Find a book.

    Looks in all shelves.

    @param title: The title, or
        a part of it.
    @type title: str
    @param shelves: Where to look: all by default.
    @return: The book.
    """


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX, EPYTEXT], ids=["google", "numpy", "sphinx", "epytext"])
def test_h007_every_common_style_gives_the_same_description_and_parameters(text: str) -> None:
    read = read_docstring(text)
    assert read.description == "Find a book.\n\nLooks in all shelves."
    assert read.parameters == {
        "title": ParameterDoc("The title, or a part of it.", "str"),
        "shelves": ParameterDoc("Where to look: all by default.", ""),
    }


def test_a_docstring_without_sections_is_all_description() -> None:
    assert read_docstring("Just this: a line.\n\nAnd more.").description == "Just this: a line.\n\nAnd more."
    assert read_docstring(None).description == ""


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    read_docstring(text)


def test_a_line_that_only_looks_like_a_section_or_a_field_stays_in_the_description() -> None:
    text = """Sorts books.

    The orders are:
    title, year.
    :class:`Book` says more.

    Note:
        Slow.

    Args:
        order: One of them.
    """
    read = read_docstring(text)
    assert read.description.splitlines()[2:5] == ["The orders are:", "title, year.", ":class:`Book` says more."]
    assert read.description.endswith("Slow.")
    assert read.parameters == {"order": ParameterDoc("One of them.")}
