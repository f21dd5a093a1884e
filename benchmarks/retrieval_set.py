"""The labelled set for retrieval: documents made on the spot, questions with the passage that answers each.

Two halves of different kinds. *Meaning*: the docstrings of the standard library of the Python that runs, asked about in
other words (``data/retrieval_queries.tsv``, written for this set). *Codes*: a made-up catalogue, error list and ticket
list in which many entries differ by nothing but their code.
"""

from __future__ import annotations

import inspect
import json
import pydoc
import random
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

_QUERIES = Path(__file__).parent / "data" / "retrieval_queries.tsv"
_COLOURS = ("red", "blue", "green", "white", "black", "grey", "yellow", "brown")
_THINGS = ("valve", "pump", "bracket", "cable", "filter", "sensor", "hinge", "gasket", "motor", "relay")
_PLACES = ("garden", "kitchen", "workshop", "cellar", "office", "boat")
_FAULTS = ("the pressure is too low", "the lid is open", "the filter is full", "the motor runs hot", "no signal came")
_MENDS = ("close the lid", "clean the filter", "wait ten minutes", "call the service", "check the cable")


@dataclass(frozen=True)
class Question:
    """``answer`` is the heading or code of the one right passage; ``kind`` is ``meaning`` or ``code``."""

    text: str
    answer: str
    kind: str

    @property
    def is_held_out(self) -> bool:
        """Half of the questions, chosen by their own text: nothing is tuned on them."""
        return sha256(self.text.encode()).digest()[0] % 2 == 1


def write_documents(folder: Path) -> None:
    """Writes the set's documents: Markdown per module, CSV, JSON lines."""
    folder.mkdir(parents=True, exist_ok=True)
    by_module: dict[str, list[str]] = {}
    for name, text in _docstrings().items():
        by_module.setdefault(name.split(".")[0], []).append(f"## {name}\n\n{text}\n")
    for module, entries in by_module.items():
        (folder / f"{module}.md").write_text("\n".join(entries), encoding="utf-8")
    rows = ["code,name,description,price", *(",".join(row) for row in _products())]
    (folder / "catalogue.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    faults = [f"## {code}\n\nThe machine stops because {why}. To go on, {mend}.\n" for code, why, mend in _faults()]
    (folder / "faults.md").write_text("\n".join(["# Fault codes\n", *faults]), encoding="utf-8")
    (folder / "tickets.jsonl").write_text("\n".join(json.dumps(ticket) for ticket in _tickets()), encoding="utf-8")


def questions() -> list[Question]:
    """All questions, in a fixed order."""
    lines = _QUERIES.read_text(encoding="utf-8").splitlines()
    asked = [Question(text, name, "meaning") for name, text in (line.split("\t") for line in lines)]
    return asked + list(_code_questions())


def _docstrings() -> dict[str, str]:
    """The targets of the questions, and all that stands beside them in the same modules and classes."""
    targets = [line.split("\t")[0] for line in _QUERIES.read_text(encoding="utf-8").splitlines()]
    found: dict[str, str] = {}
    for owner in dict.fromkeys(name.rpartition(".")[0] for name in targets):
        for name, member in inspect.getmembers(pydoc.locate(owner) or __import__(owner)):
            text = inspect.getdoc(member) if callable(member) and not name.startswith("_") else None
            if text:
                found[f"{owner}.{name}"] = text[:3000]
    for name in targets:
        found.setdefault(name, (inspect.getdoc(pydoc.locate(name)) or "")[:3000])
    return {name: text for name, text in found.items() if text}


def _products() -> Iterator[tuple[str, str, str, str]]:
    chance = random.Random(1)  # noqa: S311
    for number in range(600):
        colour, thing, place = chance.choice(_COLOURS), chance.choice(_THINGS), chance.choice(_PLACES)
        code = f"{thing[:2].upper()}-{1000 + number * 7}-{chance.choice('ABCD')}"
        yield code, f"{colour} {thing}", f"A {colour} {thing} for the {place}", f"{chance.randint(100, 9999) / 100:.2f}"


def _faults() -> Iterator[tuple[str, str, str]]:
    chance = random.Random(2)  # noqa: S311
    for number in range(120):
        yield f"ERR_{4000 + number * 3}", chance.choice(_FAULTS), chance.choice(_MENDS)


def _tickets() -> Iterator[dict[str, str]]:
    chance = random.Random(3)  # noqa: S311
    for number in range(200):
        thing, place = chance.choice(_THINGS), chance.choice(_PLACES)
        yield {"id": f"T{88000 + number}", "text": f"A customer says that the {thing} in the {place} does not work."}


def _code_questions() -> Iterator[Question]:
    chance = random.Random(4)  # noqa: S311
    forms = ("how much is {}?", "{}", "do you have the {} in stock", "tell me about article {} please")
    for code, *_ in chance.sample(list(_products()), 60):
        yield Question(chance.choice(forms).format(code), code, "code")
    forms = ("what does {} mean?", "the display shows {}, what should I do", "{}", "how do I get rid of {}")
    for code, *_ in chance.sample(list(_faults()), 40):
        yield Question(chance.choice(forms).format(code), code, "code")
    forms = ("what is ticket {} about", "status of {}", "{}")
    for ticket in chance.sample(list(_tickets()), 30):
        yield Question(chance.choice(forms).format(ticket["id"]), ticket["id"], "code")
