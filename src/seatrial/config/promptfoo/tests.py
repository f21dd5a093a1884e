"""``tests:``, ``scenarios:`` and ``defaultTest:``: every test with all that holds for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from seatrial.config.diagnostics import Place
from seatrial.config.files import TYPE_OF_ENDING
from seatrial.config.located import Block, Listing, plain
from seatrial.config.notes import Keys, Note
from seatrial.config.promptfoo.files import MARK, Files
from seatrial.config.promptfoo.rows import read_tests
from seatrial.config.promptfoo.tables import table
from seatrial.config.promptfoo.template import TemplateError, fill, one_line, shown

_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson")
_MOST_COMBINATIONS = 10_000
_DATA_FILES = (".yaml", ".yml", ".json")
_READ_AS_TEXT = ("text", "csv")


@dataclass
class Test:
    """One test. ``variables`` are texts and data; those in ``attached`` are files that go with the question."""

    place: Place
    description: str = ""
    variables: dict[str, Any] = field(default_factory=dict)
    attached: dict[str, Path] = field(default_factory=dict)
    asserts: list[Block] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    prefix: str = ""
    suffix: str = ""
    judge: tuple[Any, Place] | None = None
    repeat: int | None = None
    notes: list[Note] = field(default_factory=list)


class Tests:
    """Reads tests from all the places where they may stand."""

    def __init__(self, files: Files, known: frozenset[str]) -> None:
        self.files = files
        self.notes = files.notes
        self.known = known

    def read(self, value: Any, place: Place, default: Any, default_place: Place) -> Iterator[Test]:
        """The tests in order, one for each combination of values."""
        base = self.files.value(default, default_place)
        if default is not None and not isinstance(base, Block):
            self.notes.left(default_place, "`defaultTest`", "it is no block")
        shared = base if isinstance(base, Block) else Block(place.file, place.line)
        for block in self._blocks(value, place):
            yield from self._tests(block, shared)

    def scenarios(self, value: Any, place: Place, default: Any) -> Iterator[Test]:
        """Each test of a scenario with each of its configurations."""
        for block in self._blocks(value, place):
            keys = Keys(block, self.notes)
            configs, tests = keys.take("config"), keys.take("tests")
            keys.take("description")
            keys.rest({})
            sets = list(self._blocks(configs, block.place_of_key("config"))) or [Block(block.file, block.line)]
            for test in self._blocks(tests, block.place_of_key("tests")):
                for config in sets:
                    shared = default if isinstance(default, Block) else Block(block.file, block.line)
                    yield from self._tests(test, _merged(shared, config))

    def _blocks(self, value: Any, place: Place) -> Iterator[Block]:
        match value:
            case Block() if "path" in value and "vars" not in value and "assert" not in value:
                yield from self._blocks(value["path"], value.place_of_key("path"))
                keys = Keys(value, self.notes)
                keys.take("path")
                keys.rest(table("test_reasons"))
            case Block():
                yield value
            case Listing():
                for index, item in enumerate(value):
                    yield from self._blocks(item, value.place_of_item(index))
            case str() if value.startswith(("https://", "http://", "huggingface://", "sharepoint://")):
                self.notes.left(place, f"`{value}`", "nothing is fetched; save the tests as CSV or JSONL")
            case str():
                for path in self.files.named(value, place):
                    yield from self._of_file(path, place)
            case None:
                return
            case _:
                self.notes.left(place, "a test", "it is neither a block nor a file")

    def _of_file(self, path: Path, place: Place) -> Iterator[Block]:
        if path.suffix.lower() in _TABLES:
            yield from read_tests(path, place, self.files, self.known)
        elif path.suffix.lower() in _DATA_FILES:
            yield from self._blocks(self.files.data(path, place), Place(path, 1))
        else:
            self.notes.left(place, f"`{path.name}`", "save it as CSV, JSONL or YAML")

    def _tests(self, own: Block, shared: Block) -> Iterator[Test]:
        self.notes.since_last()
        keys, base = Keys(own, self.notes), Keys(shared, self.notes)
        test = Test(own.place, description=one_line(plain(keys.take("description") or base.take("description"))))
        variables = {**self._variables(base, shared), **self._variables(keys, own)}
        test.attached = {name: value for name, value in variables.items() if isinstance(value, Path)}
        is_expanded = all([self._options(base, test), self._options(keys, test)])
        own_asserts, shared_asserts = self._asserts(keys, own), self._asserts(base, shared)
        options = own.get("options")
        if isinstance(options, Block) and str(options.get("disableDefaultAsserts")) == "true":
            shared_asserts = []
        test.asserts = [*shared_asserts, *own_asserts]
        for holder in (base, keys):
            test.tags += list(_tags(plain(holder.take("metadata"))))
            holder.rest(table("test_reasons"))
        test.notes = self.notes.since_last()
        plain_values = {name: value for name, value in variables.items() if not isinstance(value, Path)}
        for values in self._combinations(plain_values, own.place) if is_expanded else [plain_values]:
            yield Test(**{**vars(test), "variables": self._nested(values, own.place)})

    def _asserts(self, keys: Keys, block: Block) -> list[Block]:
        value = keys.take("assert")
        place = block.place_of_key("assert")
        value = self.files.value(value, place)
        if value is None:
            return []
        items = value if isinstance(value, Listing) else [value]
        found = [item for item in items if isinstance(item, Block)]
        if len(found) < len(items):
            self.notes.left(place, "an assertion", "it is no block with a `type`")
        return found

    def _options(self, keys: Keys, test: Test) -> bool:
        """Whether lists of values multiply the test."""
        options = keys.take("options")
        if not isinstance(options, Block):
            if options is not None:
                keys.leave("options", "it is no block")
            return True
        own = Keys(options, self.notes)
        test.prefix = str(own.take("prefix") or test.prefix)
        test.suffix = str(own.take("suffix") or test.suffix)
        judge = own.take("provider")
        if judge is not None:
            test.judge = judge, options.place_of_key("provider")
        own.take("disableDefaultAsserts")
        is_single = str(own.take("disableVarExpansion")) == "true"
        repeat = plain(own.take("repeat"))
        if isinstance(repeat, int) and repeat > 0:
            test.repeat = repeat
        elif repeat is not None:
            own.leave("repeat", "it is no whole number above 0")
        own.rest(table("option_reasons"))
        return not is_single

    def _variables(self, keys: Keys, block: Block) -> dict[str, Any]:
        place = block.place_of_key("vars")
        value = keys.take("vars")
        if isinstance(value, str):
            value = self.files.value(value if value.startswith(MARK) else MARK + value, place)
        if not isinstance(value, Block):
            if value is not None:
                self.notes.left(place, "`vars`", "they are no block")
            return {}
        return {name: self._variable(item, value.place_of_key(name)) for name, item in value.items()}

    def _variable(self, value: Any, place: Place) -> Any:
        if not isinstance(value, str) or not value.startswith(MARK):
            return value if isinstance(value, str) else plain(value)
        found: list[Any] = []
        for path in self.files.named(value, place):
            suffix = path.suffix.lower()
            if TYPE_OF_ENDING.get(suffix, "text") not in _READ_AS_TEXT:
                return path
            found.append(plain(self.files.data(path, place)) if suffix in _DATA_FILES else self.files.text(path, place))
        return found[0] if len(found) == 1 else (found or "")

    def _combinations(self, variables: Mapping[str, Any], place: Place) -> Iterator[dict[str, Any]]:
        axes = [value if isinstance(value, list) and value else [value] for value in variables.values()]
        for number, values in enumerate(product(*axes)):
            if number >= _MOST_COMBINATIONS:
                self.notes.left(
                    place, "further combinations of values", f"{_MOST_COMBINATIONS:,} of a test are written"
                )
                return
            yield dict(zip(variables, values, strict=True))

    def _nested(self, values: dict[str, Any], place: Place) -> dict[str, Any]:
        """Values may use other variables."""
        made = dict(values)
        for name, value in values.items():
            if isinstance(value, str) and ("{{" in value or "{%" in value):
                try:
                    made[name] = fill(value, values)
                except TemplateError as error:
                    self.notes.changed(place, f"the variable `{name}`", f"{error} stands in it as it is")
        return made


def _merged(shared: Block, config: Block) -> Block:
    """A test's defaults with those of a scenario."""
    made = Block(config.file, config.line, config.column)
    for block in (shared, config):
        for key in block:
            old, new = made.get(key), block[key]
            if isinstance(old, Block) and isinstance(new, Block):
                made[key] = _merged(old, new)
                made.spots.update({key: spot for key, spot in block.spots.items() if key in made})
            elif isinstance(old, Listing) and isinstance(new, Listing):
                joined = Listing(new.file, new.line, new.column)
                joined.extend([*old, *new])
                made[key] = joined
            else:
                made.take_over(key, block)
    return made


def _tags(metadata: Any) -> Iterator[str]:
    if isinstance(metadata, Mapping):
        for key, value in metadata.items():
            for item in value if isinstance(value, list) else [value]:
                yield one_line(f"{key}={shown(item)}")
    elif metadata is not None:
        yield one_line(metadata)
