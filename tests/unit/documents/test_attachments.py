from __future__ import annotations

import base64
import io
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas
from tests.support.office_files import pdf_of, picture, xlsx_of

from seatrial.core.content import FileContent, ImageContent, TextContent
from seatrial.documents.attachments import Accepts, blocks_of_file
from seatrial.documents.base import Limits, ReadOptions
from seatrial.documents.picture import PictureLimits, limits_for, prepare_picture
from seatrial.errors import DocumentError


@pytest.fixture
def attach(tmp_path: Path):
    def make(name: str, data: bytes, file_type: str, accepts: Accepts | None = None, **options: Any) -> list[Any]:
        path = tmp_path / name
        path.write_bytes(data)
        return blocks_of_file(
            path,
            file_type=file_type,
            source=name,
            description="what it is",
            options=ReadOptions(**options),
            accepts=accepts,
        )

    return make


def opened(block: ImageContent) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(block.data)))


def test_h014_text_goes_with_the_files_name_and_description(attach) -> None:
    (block,) = attach("a.csv", b"sku,price\nA1,2.50\n", "csv")
    assert block == TextContent("File a.csv: what it is\n\n| sku | price |\n| --- | --- |\n| A1 | 2.50 |")


def test_p013_what_was_read_around_is_told_to_the_model(attach) -> None:
    (block,) = attach("a.csv", b"a,b\n1\n", "csv")
    assert block.text.endswith("Note: this row has 1 cells, the header has 2")


def test_h014_sheet_and_range_choose_the_cells(attach) -> None:
    data = xlsx_of([["a", "b"], [1, 2], [3, 4]])
    (block,) = attach("a.xlsx", data, "excel", cell_range="A1:A2")
    assert block.text.endswith("| a |\n| --- |\n| 1 |")


def test_a_pdf_goes_as_a_file_where_the_model_takes_files(attach) -> None:
    data = pdf_of(["one", "two"])
    heading, file = attach("a.pdf", data, "pdf", Accepts(pdf_files=True, provider="openai"))
    assert heading == TextContent("File a.pdf: what it is")
    assert file == FileContent(base64.b64encode(data).decode(), "application/pdf", "a.pdf")
    _, part = attach("a.pdf", data, "pdf", Accepts(pdf_files=True, provider="openai"), pages=(2,))
    assert len(base64.b64decode(part.data)) > 0
    assert part.data != file.data


def test_a_pdf_over_the_providers_limits_goes_as_text_and_pictures(attach) -> None:
    data = pdf_of([*(f"page {number}" for number in range(1, 101)), None])
    small, large = (Accepts(pdf_files=True, provider="anthropic", context_window=size) for size in (200_000, 1_000_000))
    text, name, _ = attach("a.pdf", data, "pdf", small)
    assert text.text.startswith("File a.pdf: what it is\n\npage 1\n\npage 2")
    assert name.text == "a.pdf, page 101:"
    assert isinstance(attach("a.pdf", data, "pdf", large)[1], FileContent)
    assert isinstance(attach("a.pdf", data, "pdf", small, pages=(7, 8))[1], FileContent)


def test_a_pdf_too_heavy_for_the_provider_goes_as_text(attach) -> None:
    data = pdf_of(["one"])
    padded = data + b"\n%" + b"x" * 23_000_000
    (text,) = attach("a.pdf", padded, "pdf", Accepts(pdf_files=True, provider="anthropic"))
    assert text == TextContent("File a.pdf: what it is\n\none")
    assert isinstance(attach("a.pdf", padded, "pdf", Accepts(pdf_files=True, provider="openai"))[1], FileContent)


def test_pictures_of_pages_keep_the_limit_for_many(attach) -> None:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(3000, 500))
    canvas.rect(100, 100, 200, 200, fill=1)
    canvas.showPage()
    canvas.save()
    for provider, width in (("anthropic", 2000), ("openai", 6000)):
        _, _, image = attach("a.pdf", out.getvalue(), "pdf", Accepts(provider=provider))
        assert opened(image).width == width


def test_limits_of_every_provider_name_their_source() -> None:
    for name in ("image_limits", "pdf_limits"):
        table = json.loads(files("seatrial.documents").joinpath(f"data/{name}.json").read_text("utf-8"))
        assert [provider for provider, entry in table.items() if not entry["source"]] == []


def test_a_pdf_goes_as_text_elsewhere_and_a_scan_as_pictures_of_its_pages(attach) -> None:
    (text,) = attach("a.pdf", pdf_of(["one", "two"]), "pdf")
    assert text == TextContent("File a.pdf: what it is\n\none\n\ntwo")
    text, name, image = attach("b.pdf", pdf_of(["one", None]), "pdf")
    assert (text.text, name.text) == ("File b.pdf: what it is\n\none", "b.pdf, page 2:")
    assert opened(image).format == "PNG"


def test_p021_a_scan_for_a_model_that_does_not_see_is_an_error(attach) -> None:
    with pytest.raises(DocumentError, match="no text layer, and the model takes no pictures"):
        attach("a.pdf", pdf_of([None]), "pdf", Accepts(images=False))
    (text,) = attach("b.pdf", pdf_of(["one", None]), "pdf", Accepts(images=False))
    assert "Note: page 2 without a text layer" in text.text


def test_a_scan_of_very_many_pages_asks_for_a_choice(attach) -> None:
    with pytest.raises(DocumentError, match="21 pages are without text"):
        attach("a.pdf", pdf_of([None] * 21), "pdf")


def test_a_picture_that_fits_goes_as_it_is(attach) -> None:
    data = picture()
    heading, image = attach("a.png", data, "image")
    assert heading == TextContent("File a.png: what it is")
    assert image == ImageContent(base64.b64encode(data).decode(), "image/png")


def test_the_type_is_that_of_the_bytes_whatever_the_name_says(attach) -> None:
    assert attach("a.jpg", picture(kind="PNG"), "image")[1].mime_type == "image/png"
    assert attach("a.png", picture(kind="JPEG"), "image")[1].mime_type == "image/jpeg"


def test_p013_a_picture_is_turned_upright(attach) -> None:
    image = opened(attach("a.jpg", picture((80, 60), "JPEG", orientation=6), "image")[1])
    assert image.size == (60, 80)
    red, green, _ = image.convert("RGB").getpixel((55, 5))
    assert red > 200 > 60 > green
    assert image.getexif().get(0x0112, 1) == 1


def test_p013_a_picture_is_scaled_to_the_providers_limits(attach) -> None:
    image = opened(attach("a.png", picture((9000, 20)), "image")[1])
    assert image.size == (8000, 17)
    noise = Image.effect_noise((300, 300), 100)
    out = io.BytesIO()
    noise.save(out, "PNG")
    small = prepare_picture(out.getvalue(), "n.png", Limits(), PictureLimits(8000, 20_000, ("image/png",)))
    assert len(small.base64_data) <= 20_000
    assert small.media_type == "image/png"


def test_of_an_animation_the_first_picture_is_sent(attach) -> None:
    first, second = (Image.new("RGB", (8, 6), colour) for colour in ("red", "blue"))
    out = io.BytesIO()
    first.save(out, "GIF", save_all=True, append_images=[second])
    image = attach("a.gif", out.getvalue(), "image")[1]
    assert image.mime_type == "image/png"
    assert opened(image).convert("RGB").getpixel((4, 3)) == (255, 0, 0)
    assert attach("b.gif", picture(kind="GIF"), "image")[1].mime_type == "image/gif"


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        ("BMP", "RGB"),
        ("TIFF", "CMYK"),
        ("GIF", "RGB"),
        ("WEBP", "RGB"),
        ("JPEG", "CMYK"),
        ("PNG", "I;16"),
        ("PNG", "1"),
    ],
)
def test_every_usual_picture_ends_as_one_that_providers_take(attach, kind: str, mode: str) -> None:
    image = attach("a.bin", picture(kind=kind, mode=mode), "image")[1]
    assert image.mime_type in limits_for().media_types
    opened(image).load()
    big = attach("b.bin", picture((8100, 4), kind=kind, mode=mode), "image")[1]
    assert opened(big).width <= 8000


def test_providers_have_limits_of_their_own() -> None:
    assert limits_for("ollama").media_types == ("image/png", "image/jpeg")
    assert limits_for("unheard of") == limits_for()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b"no picture", "is no picture"),
        (picture()[:40], "picture"),
        (b"\x89PNG\r\n\x1a\n", "picture"),
    ],
)
def test_p013_an_empty_or_broken_picture_is_an_error_that_names_the_file(attach, data: bytes, said: str) -> None:
    with pytest.raises(DocumentError, match=rf"a\.png.*{said}"):
        attach("a.png", data, "image")


def test_a_giant_picture_is_refused_before_it_is_unpacked(attach) -> None:
    with pytest.raises(DocumentError, match=r"1,000 x 1,000 pixels"):
        attach("a.png", picture((1000, 1000)), "image", limits=Limits(max_pixels=10_000))
