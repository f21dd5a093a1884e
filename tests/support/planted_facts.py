"""Office files of every kind in which single facts are planted among many alike."""

from __future__ import annotations

import csv
import html
import io
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.office_files import deck_of, pdf_of, word, xlsx

_ROLES = (
    *("night guard", "head chef", "fire marshal", "payroll clerk", "forklift driver", "first aider", "data officer"),
    *("gardener", "translator", "lift engineer", "harbour pilot", "choir leader", "union speaker", "archivist"),
)
_PLACES = (
    *("Tallinn", "Porto", "Bergen", "Gdansk", "Cork", "Trieste", "Varna", "Aarhus", "Leipzig", "Nantes", "Turku"),
    *("Zadar", "Malaga", "Utrecht", "Dundee", "Graz"),
)
_NAMES = (
    *("Priit Kask", "Ines Moura", "Sol Dahl", "Jan Wrona", "Aoife Byrne", "Luca Sartori", "Mila Petrova"),
    *("Nils Holm", "Greta Vogel", "Yves Morel", "Aino Laine", "Ivo Horvat", "Carmen Ruiz", "Bram de Wit"),
)
_FILLER = (
    "The canteen opens at noon and closes at three in the afternoon.",
    "Visitors sign the book at the gate before they enter the yard.",
    "Bicycles are parked behind the second hall, never in front of the ramp.",
    "Deliveries are weighed twice, once on arrival and once before storage.",
    "The heating is turned down on weekends to save energy.",
    "Lost property is kept for six weeks and then given away.",
    "Windows on the north side stay shut while the cranes are moving.",
    "Training takes place on the first Monday of each quarter.",
    "The old archive was moved to the cellar in spring.",
    "Paint and solvents are stored apart from paper and cloth.",
)


@dataclass(frozen=True)
class Fact:
    """``place`` is the page, sheet or slide that holds it; empty where the file has none."""

    question: str
    answer: str
    file: str
    place: str = ""


@dataclass(frozen=True)
class _Planted:
    role: str
    city: str
    name: str

    @property
    def sentence(self) -> str:
        return f"In {self.city} the {self.role} is {self.name}."

    @property
    def question(self) -> str:
        return f"Who is the {self.role} in {self.city}?"


def plant(folder: Path, count: int = 200, seed: int = 7) -> list[Fact]:
    """Writes ``count`` files of ten kinds with one fact each, and says where the facts are."""
    chance = random.Random(seed)  # noqa: S311
    folder.mkdir(parents=True, exist_ok=True)
    pairs = [(role, city) for role in _ROLES for city in _PLACES]
    facts = []
    for number, (role, city) in enumerate(chance.sample(pairs, count)):
        planted = _Planted(role, city, chance.choice(_NAMES))
        suffix, make = _KINDS[number % len(_KINDS)]
        data, place = make(planted, chance)
        file = f"{number:03}.{suffix}"
        (folder / file).write_bytes(data)
        facts.append(Fact(planted.question, planted.name, file, place))
    return facts


def _filler(chance: random.Random, count: int) -> list[str]:
    return [chance.choice(_FILLER) for _ in range(count)]


def _mixed(planted: _Planted, chance: random.Random, count: int = 6) -> list[str]:
    lines = _filler(chance, count)
    lines.insert(chance.randrange(len(lines)), planted.sentence)
    return lines


def _pdf(planted: _Planted, chance: random.Random) -> tuple[bytes, str]:
    pages = [_filler(chance, 6) for _ in range(4)]
    number = chance.randrange(4)
    pages[number] = _mixed(planted, chance)
    return pdf_of(["\n".join(page) for page in pages]), f"page {number + 1}"


def _docx(planted: _Planted, chance: random.Random) -> tuple[bytes, str]:
    def fill(document: Any) -> None:
        document.add_heading("Notes", 1)
        for line in _mixed(planted, chance, 10):
            document.add_paragraph(line)

    return word(fill), ""


def _docx_table(planted: _Planted, chance: random.Random) -> tuple[bytes, str]:
    rows = [("city", "role", "person"), ("Oslo", "porter", "Ola Nord"), (planted.city, planted.role, planted.name)]

    def fill(document: Any) -> None:
        document.add_paragraph(chance.choice(_FILLER))
        table = document.add_table(len(rows), 3)
        for cells, row in zip(table.rows, rows, strict=True):
            for cell, text in zip(cells.cells, row, strict=True):
                cell.text = text

    return word(fill), ""


def _xlsx(planted: _Planted, chance: random.Random) -> tuple[bytes, str]:
    names = ["Stock", "People", "Rooms"]
    chosen = chance.choice(names)

    def fill(workbook: Any) -> None:
        workbook.remove(workbook.active)
        for name in names:
            sheet = workbook.create_sheet(name)
            sheet.append(["City", "Position", "Person in charge"])
            sheet.append(["Oslo", "porter", "Ola Nord"])
            if name == chosen:
                sheet.append([planted.city, planted.role, planted.name])
            sheet.append(["Bonn", "caretaker", "Ute Klein"])

    return xlsx(fill), f"sheet {chosen}"


def _pptx(planted: _Planted, chance: random.Random) -> tuple[bytes, str]:
    slides = [(f"Part {n}", " ".join(_filler(chance, 3))) for n in range(1, 6)]
    number = chance.randrange(5)
    slides[number] = (slides[number][0], " ".join(_mixed(planted, chance, 3)))
    return deck_of(slides), f"slide {number + 1}"


def _markdown(planted: _Planted, chance: random.Random) -> tuple[bytes, str]:
    body = "\n\n".join(_mixed(planted, chance, 8))
    return f"# House rules\n\n{body}\n".encode(), ""


def _html(planted: _Planted, chance: random.Random) -> tuple[bytes, str]:
    body = "".join(f"<p>{html.escape(line)}</p>" for line in _mixed(planted, chance))
    return f"<html><head><title>Intranet</title></head><body>{body}</body></html>".encode(), ""


def _csv(planted: _Planted, _chance: random.Random) -> tuple[bytes, str]:
    out = io.StringIO()
    rows = [("city", "position", "person"), ("Oslo", "porter", "Ola Nord"), (planted.city, planted.role, planted.name)]
    csv.writer(out, delimiter=";").writerows(rows)
    return out.getvalue().encode("utf-8-sig"), ""


def _jsonl(planted: _Planted, chance: random.Random) -> tuple[bytes, str]:
    return "\n".join(json.dumps({"text": line}) for line in _mixed(planted, chance)).encode(), ""


def _text(planted: _Planted, chance: random.Random) -> tuple[bytes, str]:
    return "\r\n".join(_mixed(planted, chance)).encode("utf-16"), ""


_KINDS: Sequence[tuple[str, Callable[[_Planted, random.Random], tuple[bytes, str]]]] = (
    ("pdf", _pdf),
    ("docx", _docx),
    ("xlsx", _xlsx),
    ("pptx", _pptx),
    ("md", _markdown),
    ("html", _html),
    ("csv", _csv),
    ("jsonl", _jsonl),
    ("txt", _text),
    ("docx", _docx_table),
)
