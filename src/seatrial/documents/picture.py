"""Pictures as providers take them: whole, upright, of a known type and within their limits."""

from __future__ import annotations

import base64
import io
import json
import warnings
from dataclasses import dataclass
from importlib.resources import files

from seatrial.documents.base import Limits
from seatrial.errors import DocumentError, MissingExtraError

try:
    from PIL import Image, ImageOps, UnidentifiedImageError
except ImportError as error:
    raise MissingExtraError("files", "reading pictures") from error

_MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
_ORIENTATION = 0x0112
_SHRINK = 0.8
_JPEG_QUALITY = 90


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """What a provider takes. ``max_base64_chars`` is the length of the picture as it is sent."""

    max_side_px: int
    max_base64_chars: int
    media_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture ready to be sent: base64 without line breaks."""

    base64_data: str
    media_type: str


def limits_for(provider: str | None = None, *, is_one_of_many: bool = False) -> PictureLimits:
    """The provider's limits, or those that every known provider meets. Some are stricter where pictures are many."""
    table = json.loads(files("seatrial.documents").joinpath("data/image_limits.json").read_text("utf-8"))
    entry = table.get(provider, table["default"])
    side = entry["max_side_px_of_many"] if is_one_of_many else entry["max_side_px"]
    return PictureLimits(side, entry["max_base64_chars"], tuple(entry["media_types"]))


def prepare_picture(data: bytes, source: str, limits: Limits, wanted: PictureLimits) -> Picture:
    """The picture as it is where it fits, else turned upright, scaled down or written anew as PNG or JPEG.

    The type is that of the bytes, whatever the name says. Raises `DocumentError` for an empty, broken or giant one.
    """
    if not data:
        raise DocumentError(f"{source} is empty")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data)) as image:
                _check_pixels(image, source, limits)
                image.load()
                return _fitting(image, data, source, wanted)
    except UnidentifiedImageError as error:
        raise DocumentError(f"{source} is no picture that can be read", hint="save it as PNG or JPEG") from error
    except (OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError) as error:
        raise DocumentError(f"{source} is a damaged picture: {error}", hint="open and save it anew") from error


def _check_pixels(image: Image.Image, source: str, limits: Limits) -> None:
    if image.width * image.height > limits.max_pixels:
        raise DocumentError(
            f"{source} has {image.width:,} x {image.height:,} pixels, the limit is {limits.max_pixels:,} in all",
            hint="scale it down",
        )


def _fitting(image: Image.Image, data: bytes, source: str, wanted: PictureLimits) -> Picture:
    media_type = _MEDIA_TYPES.get(image.format or "")
    encoded = base64.b64encode(data).decode("ascii")
    is_upright = image.getexif().get(_ORIENTATION, 1) in (0, 1)
    if (
        media_type in wanted.media_types
        and is_upright
        and not getattr(image, "is_animated", False)
        and max(image.size) <= wanted.max_side_px
        and len(encoded) <= wanted.max_base64_chars
    ):
        return Picture(encoded, media_type)
    as_jpeg = image.format == "JPEG"
    upright = _plain_mode(ImageOps.exif_transpose(image), as_jpeg)
    return _shrunk(upright, as_jpeg, source, wanted)


def _plain_mode(image: Image.Image, as_jpeg: bool) -> Image.Image:
    """Colours that the format to write can hold."""
    if as_jpeg:
        return image if image.mode in ("RGB", "L") else image.convert("RGB")
    return image if image.mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16") else image.convert("RGBA")


def _shrunk(image: Image.Image, as_jpeg: bool, source: str, wanted: PictureLimits) -> Picture:
    scale = min(1.0, wanted.max_side_px / max(image.size))
    while True:
        size = (max(1, int(image.width * scale)), max(1, int(image.height * scale)))
        encoded = base64.b64encode(_written(_resized(image, size), as_jpeg)).decode("ascii")
        if len(encoded) <= wanted.max_base64_chars:
            return Picture(encoded, "image/jpeg" if as_jpeg else "image/png")
        if max(size) == 1:
            raise DocumentError(f"{source} cannot be made small enough for the provider")
        scale *= _SHRINK


def _resized(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    if size == image.size:
        return image
    smooth = image.convert("RGBA" if "transparency" in image.info else "RGB") if image.mode in ("1", "P") else image
    return smooth.resize(size, Image.Resampling.LANCZOS)


def _written(image: Image.Image, as_jpeg: bool) -> bytes:
    out = io.BytesIO()
    if as_jpeg:
        image.save(out, "JPEG", quality=_JPEG_QUALITY)
    else:
        image.save(out, "PNG", optimize=True)
    return out.getvalue()
