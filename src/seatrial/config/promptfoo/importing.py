"""A configuration of promptfoo as agent files: the whole trip."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from seatrial.config.diagnostics import Place, printable
from seatrial.config.located import Block, Listing, plain
from seatrial.config.notes import Keys, Note, Notes
from seatrial.config.promptfoo.asserts import KNOWN, Asserts
from seatrial.config.promptfoo.cases import Case, Cases, rendered_systems
from seatrial.config.promptfoo.files import Files, read_document
from seatrial.config.promptfoo.models import Model, Models
from seatrial.config.promptfoo.prompts import Prompt, Prompts
from seatrial.config.promptfoo.tables import table
from seatrial.config.promptfoo.template import one_line, shown
from seatrial.config.promptfoo.tests import Test, Tests
from seatrial.config.yaml_text import as_yaml, literal
from seatrial.errors import ConfigError

_NAMES = ("promptfooconfig.yaml", "promptfooconfig.yml", "promptfooconfig.json")
_MOST_INLINE_CASES = 100
_MOST_INSTRUCTIONS = 5000
_PLACEHOLDER = {"provider": "openai", "name": "gpt-5-mini"}
_NO_SYSTEM = "Answer what you are asked."


@dataclass(frozen=True)
class Imported:
    """The new files by path, agent files first, and all that was not carried over as it was."""

    agents: tuple[Path, ...]
    texts: dict[Path, str]
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class _Suite:
    """Prompts that ask with the same system prompts, so that one agent file holds them."""

    systems: tuple[str, ...]
    labels: tuple[str, ...]
    prompts: tuple[tuple[Prompt, str], ...]


def config_file(path: Path) -> Path:
    """The configuration that a path names: itself, or the one in the folder."""
    if not path.is_dir():
        return path
    return next((path / name for name in _NAMES if (path / name).is_file()), path / _NAMES[0])


def import_promptfoo(path: Path, target: Path) -> Imported:
    """The configuration at ``path`` as agent files, the first of them ``target``; nothing is written or run.

    Raises `ConfigError` for a file that cannot be read.
    """
    data = read_document(path)
    if not isinstance(data, Block):
        raise ConfigError(
            f"{path} holds no keys", hint="a configuration of promptfoo has `prompts`, `providers` and `tests`"
        )
    return _Import(data, path, target).run()


class _Import:
    def __init__(self, data: Block, path: Path, target: Path) -> None:
        self.data = data
        self.path = path
        self.target = target
        self.notes = Notes()
        self.keys = Keys(data, self.notes)
        self.files = Files(path.parent, self.notes)
        self.models = Models(self.files)

    def run(self) -> Imported:
        models = self._models()
        prompts = Prompts(self.files).read(self.keys.take("prompts"), self._place("prompts"))
        tests = self._tests()
        asserts = Asserts(self.files, self.models, self.keys.take("assertionTemplates"))
        description = shown(plain(self.keys.take("description"))).strip()
        repeat = self._repeat()
        self.keys.rest(table("top_reasons"))
        suites = self._suites(prompts, tests)
        self._unused_labels(models, prompts, suites)
        agents: list[Path] = []
        texts: dict[Path, str] = {}
        for number, suite in enumerate(suites, start=1):
            target = self.target if number == 1 else self.target.with_stem(f"{self.target.stem}-{number}")
            cases = Cases(asserts, self.models, self.notes, target.parent, repeat)
            made = list(self._cases(suite, tests, cases))
            agents.append(target)
            texts |= self._written(target, suite, models, made, description)
        asserts.note_unused_templates()
        return Imported(tuple(agents), texts, tuple(self.notes.in_order()))

    def _place(self, key: str) -> Place:
        return self.data.place_of_key(key)

    def _models(self) -> list[Model]:
        key = "targets" if "providers" not in self.data and "targets" in self.data else "providers"
        found = self.models.read(self.keys.take(key), self._place(key))
        if found:
            return found
        told = f"`{_PLACEHOLDER['provider']}:{_PLACEHOLDER['name']}` stands there; choose your own under `model:`"
        self.notes.changed(self._place(key), "no provider that is known here", told)
        return [Model("model", dict(_PLACEHOLDER))]

    def _tests(self) -> list[Test]:
        reader = Tests(self.files, KNOWN)
        default, place = self.keys.take("defaultTest"), self._place("defaultTest")
        written = self.keys.take("tests")
        scenarios = self.keys.take("scenarios")
        found = list(reader.read(written, self._place("tests"), default, place))
        found += reader.scenarios(scenarios, self._place("scenarios"), default)
        if not found:
            alone = Listing(self.path, 1)
            alone.append(Block(self.path, 1))
            found = list(reader.read(alone, self.data.place, default, place))
        return found

    def _repeat(self) -> int | None:
        options = self.keys.take("evaluateOptions")
        if not isinstance(options, Block):
            if options is not None:
                self.keys.leave("evaluateOptions", "it is no block")
            return None
        own = Keys(options, self.notes)
        repeat = plain(own.take("repeat"))
        is_number = isinstance(repeat, int) and not isinstance(repeat, bool) and repeat > 0
        if repeat is not None and not is_number:
            own.leave("repeat", "it is no whole number above 0")
        own.rest(table("evaluate_reasons"))
        return int(repeat) if is_number else None

    def _suites(self, prompts: list[Prompt], tests: Sequence[Test]) -> list[_Suite]:
        """Prompts that ask the same differ in their system prompts alone: variants of one file."""
        asked: dict[tuple[Any, ...], list[tuple[Prompt, str, str]]] = {}
        for prompt in prompts or [self._no_prompt()]:
            before, system = self._system(prompt, tests)
            asked.setdefault((prompt.turns, prompt.images, before), []).append((prompt, system, before))
        suites: dict[tuple[str, ...], _Suite] = {}
        for group in asked.values():
            systems = tuple(dict.fromkeys(system for _, system, _ in group))
            labels = tuple(next(prompt.label for prompt, system, _ in group if system == one) for one in systems)
            suite = suites.setdefault(systems, _Suite(systems, labels, ()))
            prompt, _, before = group[0]
            suites[systems] = replace(suite, prompts=(*suite.prompts, (prompt, before)))
        if len(suites) > 1:
            self.notes.changed(
                self._place("prompts"), "prompts with system parts of their own", "each has an agent file"
            )
        return list(suites.values())

    def _unused_labels(self, models: Sequence[Model], prompts: Sequence[Prompt], suites: Sequence[_Suite]) -> None:
        """Names that tell nothing apart, and so stand nowhere."""
        used = {label for suite in suites if len(suite.systems) > 1 for label in suite.labels}
        used |= {prompt.label for suite in suites if len(suite.prompts) > 1 for prompt, _ in suite.prompts}
        alone = [model.label_place for model in models if len(models) == 1]
        alone += [prompt.label_place for prompt in prompts if prompt.label not in used]
        for place in filter(None, alone):
            self.notes.left(place, "`label`", "only variants have names")

    def _no_prompt(self) -> Prompt:
        told = "no prompt could be read; write the questions under `input:`"
        self.notes.left(self._place("prompts"), "`prompts`", told)
        return Prompt("prompt", self._place("prompts"), ("{% prompt %}",))

    def _system(self, prompt: Prompt, tests: Sequence[Test]) -> tuple[str, str]:
        """What stands before each question, and the system prompt, which is one for all cases."""
        if not prompt.system.strip():
            return "", ""
        found = rendered_systems(prompt, tests)
        if found is not None and len(found) == 1:
            return "", found.pop()
        told = "it differs from case to case; it stands before each question, and instructions were made up"
        self.notes.changed(prompt.place, f"the system part of `{prompt.label}`", told)
        return prompt.system, ""

    def _cases(self, suite: _Suite, tests: Sequence[Test], cases: Cases) -> Iterator[Case]:
        for prompt, before in suite.prompts:
            tag = f"prompt={one_line(prompt.label)[:60]}" if len(suite.prompts) > 1 else None
            for test in tests:
                case = cases.of(test, prompt, system=before, tag=tag)
                if case is not None:
                    yield case

    def _written(
        self, target: Path, suite: _Suite, models: Sequence[Model], cases: Sequence[Case], description: str
    ) -> dict[Path, str]:
        texts: dict[Path, str] = {}
        head: dict[str, Any] = {"name": _agent_name(self.path)}
        if description:
            head["description"] = literal(description[:500])
            if len(description) > 500:
                self.notes.left(self._place("description"), "the end of the description", "at most 500 characters")
        head["model"] = models[0].block
        systems = [self._instructions(system, target, number, texts) for number, system in enumerate(suite.systems)]
        head["instructions"] = systems[0]
        variants = list(_variants(models, systems, suite.labels))
        body = as_yaml(head)
        body += f"\n{as_yaml({'variants': variants})}" if variants else ""
        if len(cases) <= _MOST_INLINE_CASES:
            lines = [_commented(case) for case in cases]
            body += "\ntest_cases:\n" + "\n".join(lines) if lines else ""
        else:
            rows = target.with_suffix(".cases.jsonl")
            texts[rows] = "".join(json.dumps(case.entry, ensure_ascii=False) + "\n" for case in cases)
            body += f"\ntest_cases_file: {json.dumps(literal(rows.name), ensure_ascii=False)}\n"
        beside = {note for case in cases for note in case.notes} if len(cases) <= _MOST_INLINE_CASES else set()
        general = [note for note in self.notes.in_order() if note not in beside]
        title = f"# Made from {printable(self.path.name)}.\n"
        return {target: title + "".join(_comment(note, "") for note in general) + body, **texts}

    def _instructions(self, system: str, target: Path, number: int, texts: dict[Path, str]) -> Any:
        if not system.strip():
            told = f"an agent has instructions; `{_NO_SYSTEM}` was made up"
            self.notes.changed(self._place("prompts"), "a prompt without a system part", told)
            return _NO_SYSTEM
        if len(system) <= _MOST_INSTRUCTIONS:
            return literal(system)
        path = target.with_suffix(f".instructions{number + 1 if number else ''}.md")
        texts[path] = system
        return {"file": literal(path.name)}


def _variants(models: Sequence[Model], systems: Sequence[Any], labels: Sequence[str]) -> Iterator[dict[str, Any]]:
    """All pairs of a model and a system prompt, where there is more than one."""
    if len(models) * len(systems) == 1:
        return
    taken: set[str] = set()
    for model in models:
        for system, label in zip(systems, labels, strict=True):
            parts = ([model.label] if len(models) > 1 else []) + ([label] if len(systems) > 1 else [])
            base = one_line(", ".join(parts))[:90] or "variant"
            name, number = base, 2
            while name in taken:
                name, number = f"{base} {number}", number + 1
            taken.add(name)
            made: dict[str, Any] = {"name": literal(name)}
            made |= {"model": model.block} if len(models) > 1 else {}
            made |= {"instructions": system} if len(systems) > 1 else {}
            yield made


def _agent_name(path: Path) -> str:
    folder = path.absolute().parent.name
    made = re.sub("[^A-Za-z0-9]+", "-", folder).strip("-")
    if not made:
        return "agent"
    return (made if made[0].isalpha() else f"agent-{made}")[:100]


def _commented(case: Case) -> str:
    comments = "".join(_comment(note, "  ") for note in case.notes)
    entry = as_yaml([literal(case.entry)])
    return comments + "".join(f"  {line}" if line.strip() else line for line in entry.splitlines(keepends=True))


def _comment(note: Note, indent: str) -> str:
    place = note.place
    text = printable(f"{place.file.name}:{place.line}: {note.comment}").replace("\n", " ")
    return f"{indent}# {text}\n"
