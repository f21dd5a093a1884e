"""An answer made of what the tools gave: their fields, or the sentence closest to the question with its source."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.core.messages import ToolResultMessage
from seatrial.providers.local_meaning import Meaning, spoken

_HITS_READ = 2
_FIELDS_TOLD = 8
_ROWS_TOLD = 3
_PASSAGE_HEAD = re.compile(r"^\[\d+\] (.+)$", re.M)
_MARK = re.compile(r"^(?:>|[-*+]|\d+[.)])\s+")
_FACTS = re.compile(r"^\w+: \S")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[\"'(\[]?[A-Z0-9])")


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence, the heading above it and the passage's source; both may be empty."""

    text: str
    heading: str = ""
    source: str = ""

    @property
    def in_context(self) -> str:
        return f"{self.heading}. {self.text}" if self.heading else self.text


def answer_from(meaning: Meaning, question: str, results: Sequence[ToolResultMessage]) -> str:
    """What the results say to the question; a failed tool is named with its error."""
    told = [_told(meaning, question, result) for result in results]
    return "\n".join(dict.fromkeys(told))


def _told(meaning: Meaning, question: str, result: ToolResultMessage) -> str:
    text = result.text.strip()
    if result.is_error:
        return f"The tool {result.tool_name} failed: {text.removeprefix('Error: ') or 'it gave no reason'}"
    if not text or text == "(no output)":
        return f"The tool {result.tool_name} gave no output."
    value = _json(text)
    if isinstance(value, Mapping):
        return _fields(meaning, question, value)
    if isinstance(value, list) and any(isinstance(row, Mapping) for row in value):
        return _rows(meaning, question, value)
    if isinstance(value, list):
        return _phrase(value)
    return _closest_sentence(meaning, question, text)


def _json(text: str) -> Any:
    """The parsed value of text that is a JSON object or array, else None."""
    if text[0] not in "{[":
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _fields(meaning: Meaning, question: str, value: Mapping[str, Any]) -> str:
    """``status: shipped. carrier: DHL.``; of many fields, the closest to the question, in their own order."""
    phrases = [
        f"{spoken(str(name))}: {_phrase(part)}" for name, part in value.items() if part not in (None, "", [], {})
    ]
    if len(phrases) > _FIELDS_TOLD:
        phrases = _closest(meaning, question, phrases, _FIELDS_TOLD)
    return " ".join(phrase if phrase.endswith((".", "!", "?")) else f"{phrase}." for phrase in phrases)


def _rows(meaning: Meaning, question: str, rows: Sequence[Any]) -> str:
    phrases = [_fields(meaning, question, row) if isinstance(row, Mapping) else _phrase(row) for row in rows]
    return "\n".join(_closest(meaning, question, phrases, _ROWS_TOLD))


def _phrase(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{spoken(str(name))} {_phrase(part)}" for name, part in value.items() if part is not None)
    if isinstance(value, list):
        return ("; " if any(isinstance(item, Mapping | list) for item in value) else ", ").join(map(_phrase, value))
    return "none" if value is None else str(value)


def _closest_sentence(meaning: Meaning, question: str, text: str) -> str:
    sentences = _sentences_of_passages(text) or _sentences(text)
    if not sentences:
        return text
    scores = meaning.closeness(question, [sentence.in_context for sentence in sentences])
    best = sentences[max(range(len(sentences)), key=lambda place: scores[place])]
    return f"{best.text} ({best.source})" if best.source else best.text


def _sentences_of_passages(text: str) -> list[_Sentence]:
    """The sentences of the first two passages of a search; none when the text is not made of passages."""
    heads = list(_PASSAGE_HEAD.finditer(text))
    if not heads or heads[0].start() != 0:
        return []
    ends = [head.start() for head in heads[1:]] + [len(text)]
    passages = [(head[1], text[head.end() : end]) for head, end in zip(heads, ends, strict=True)]
    return [sentence for source, body in passages[:_HITS_READ] for sentence in _sentences(body, source)]


def _sentences(text: str, source: str = "") -> list[_Sentence]:
    """Sentences of prose, each under the nearest heading above it; a list item or table row is one of its own.

    Headings themselves answer nothing, unless there is nothing else.
    """
    found: list[_Sentence] = []
    heading = ""
    for block in _blocks(text):
        if block.startswith("#"):
            heading = block.lstrip("# ")
            continue
        found += [_Sentence(part.strip(), heading, source) for part in _SENTENCE_END.split(_MARK.sub("", block))]
    found = [sentence for sentence in found if any(character.isalnum() for character in sentence.text)]
    return found or ([_Sentence(heading, "", source)] if heading else [])


def _blocks(text: str) -> list[str]:
    """Wrapped lines joined to paragraphs; a heading, list item or table row begins a new one."""
    blocks: list[str] = []
    is_open = False
    for line in map(str.strip, text.splitlines()):
        starts_anew = line.startswith(("#", "|")) or _MARK.match(line) is not None
        if is_open and line and not starts_anew:
            between = "; " if _FACTS.match(line) and not blocks[-1].endswith(".") else " "
            blocks[-1] += between + line
        elif line:
            blocks.append(line)
        is_open = bool(line) and not line.startswith(("#", "|"))
    return blocks


def _closest(meaning: Meaning, question: str, texts: Sequence[str], count: int) -> list[str]:
    """The ``count`` closest texts in their own order."""
    scores = meaning.closeness(question, texts)
    chosen = sorted(range(len(texts)), key=lambda place: (-scores[place], place))[:count]
    return [texts[place] for place in sorted(chosen)]
