"""A picture that goes with a question."""

from __future__ import annotations

from seatrial.core.content import ImageContent, TextContent, UserBlock
from seatrial.documents.attachments import Accepts, Attachment
from seatrial.documents.base import ReadOptions
from seatrial.documents.picture import limits_for, prepare_picture


def picture_blocks(attachment: Attachment, options: ReadOptions, accepts: Accepts) -> list[UserBlock]:
    """The heading, and the picture upright and within the provider's limits."""
    picture = prepare_picture(attachment.data, attachment.source, options.limits, limits_for(accepts.provider))
    return [TextContent(attachment.heading), ImageContent(picture.base64_data, picture.media_type)]
