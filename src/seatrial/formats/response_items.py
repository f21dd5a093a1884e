"""The items of a streamed response, found again by place or id when the whole item or the whole response comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from seatrial.formats.blocks import text_in
from seatrial.formats.wire_json import whole_text

T = TypeVar("T")
UNLABELLED = ""


class SaidText:
    """The text and the refusal of one message, in pieces."""

    __slots__ = ("refusal", "text")

    def __init__(self, text: str = "", refusal: str = "") -> None:
        self.text = [text] if text else []
        self.refusal = [refusal] if refusal else []

    def goes_on(self, told: SaidText) -> bool:
        """Whether what was told is the beginning of this, or all of it."""
        return self._text.startswith(told._text) and self._refusal.startswith(told._refusal)

    def take_rest(self, whole: SaidText) -> tuple[str, str]:
        """What the whole says beyond this: text and refusal. From then on this is as long."""
        text, refusal = _rest(self._text, whole._text), _rest(self._refusal, whole._refusal)
        self.text.append(text)
        self.refusal.append(refusal)
        return text, refusal

    @property
    def _text(self) -> str:
        return whole_text("".join(self.text))

    @property
    def _refusal(self) -> str:
        return whole_text("".join(self.refusal))


class Items(Generic[T]):
    """Items of one kind that have begun, by their labels."""

    def __init__(self) -> None:
        self._known: dict[int | str, T] = {}
        self._last_key: int | str | None = None
        self._place_of: dict[str, int] = {}
        self._claimed: set[int] = set()
        self._in_order: list[T] = []
        self._first_unclaimed = 0

    def __bool__(self) -> bool:
        return bool(self._known)

    def of_event(self, event: Mapping[str, Any], item: Mapping[str, Any] | None = None) -> T | None:
        """The item that the event speaks of."""
        return self._known.get(self._key(event, item))

    def add(self, event: Mapping[str, Any], found: T, item: Mapping[str, Any] | None = None) -> T:
        """The item that the event begins."""
        self._last_key = self._key(event, item)
        self._known[self._last_key] = found
        self._in_order.append(found)
        return found

    def claim_last(self, event: Mapping[str, Any], item: Mapping[str, Any], is_it: Callable[[T], bool]) -> T | None:
        """The item that began last, where its label is none that the event's could be compared with."""
        key = self._key(event, item)
        last = self._last_key
        if last is None or (last != UNLABELLED and isinstance(last, int) == isinstance(key, int)):
            return None
        found = self._known[last]
        if key == UNLABELLED or not is_it(found):
            return None
        del self._known[last]
        self._known[key] = found
        self._last_key = key
        return found

    def of_item(self, place: int, item: Mapping[str, Any], is_it: Callable[[T], bool]) -> T | None:
        """What had begun of an item of the whole response; each is found once."""
        item_id = text_in(item.get("id"))
        labelled = self._known.get(self._place_of.get(item_id, item_id)) if item_id else None
        if labelled is not None and id(labelled) not in self._claimed:
            return self._claim(labelled)
        placed = self._known.get(place)
        if placed is not None and id(placed) not in self._claimed and is_it(placed):
            return self._claim(placed)
        while self._first_unclaimed < len(self._in_order):
            found = self._in_order[self._first_unclaimed]
            if id(found) not in self._claimed:
                return self._claim(found) if is_it(found) else None
            self._first_unclaimed += 1
        return None

    def _claim(self, found: T) -> T:
        self._claimed.add(id(found))
        return found

    def _key(self, event: Mapping[str, Any], item: Mapping[str, Any] | None) -> int | str:
        item_id = text_in(event.get("item_id")) or ("" if item is None else text_in(item.get("id")))
        place = event.get("output_index")
        if not isinstance(place, int):
            return self._place_of.get(item_id, item_id)
        if item_id:
            self._place_of[item_id] = place
        return place


def said_in(item: Mapping[str, Any]) -> SaidText:
    """The text and the refusal of a whole message."""
    content = item.get("content", item.get("text"))
    blocks = content if isinstance(content, list) else [content]
    refusals = [block for block in blocks if isinstance(block, dict) and block.get("type") == "refusal"]
    texts = [block for block in blocks if not isinstance(block, dict) or block.get("type") != "refusal"]
    refusal = "".join(text_in(block.get("refusal")) or text_in(block.get("text")) for block in refusals)
    return SaidText(text_in(texts), refusal)


def _rest(told: str, whole: str) -> str:
    return whole[len(told) :] if whole.startswith(told) else ""
