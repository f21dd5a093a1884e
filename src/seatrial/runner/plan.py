"""From cases to trials: names, selection, and the order in which they are run."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, overload

import msgspec

from seatrial.errors import ConfigError
from seatrial.runs.records import Selection, TrialKey

if TYPE_CHECKING:
    from seatrial.config.cases import CaseConfig

_NAME_LENGTH = 40
_NOT_IN_NAMES = re.compile(r"[\W_]+")


class CasePlace(NamedTuple):
    """Where a case is written: a file by its path from the agent's folder (None for the agent file), and the line."""

    file: str | None = None
    line: int | None = None


NOWHERE = CasePlace()


class PlannedCase(msgspec.Struct, frozen=True):
    """A case with its name, its place in the suite, from 0, and where it is written, if anyone knows."""

    config: CaseConfig
    name: str
    index: int
    place: CasePlace = NOWHERE


class Trial(msgspec.Struct, frozen=True):
    """One attempt to make: a case, in a variant of the agent, for the ``repeat``-th time (from 1)."""

    case: PlannedCase
    variant: str = ""
    variant_index: int = 0
    repeat: int = 1

    @property
    def key(self) -> TrialKey:
        """What tells it from the run's other trials."""
        return TrialKey(self.case.name, self.variant, self.repeat)


@dataclass(frozen=True, slots=True)
class Plan:
    """All trials of a run; they are made as they are asked for."""

    cases: Sequence[PlannedCase]
    variants: Sequence[str] = ("",)
    repeat: int = 1
    done: Collection[TrialKey] = ()

    @property
    def size(self) -> int:
        """How many trials there are, finished ones included."""
        return sum(map(self.tries, self.cases)) * len(self.variants)

    def tries(self, case: PlannedCase) -> int:
        """How often the case is tried: as the run says, or more often where the case itself asks for it."""
        return max(self.repeat, case.config.repeat or 1)

    def __iter__(self) -> Iterator[Trial]:
        """Each case once in every variant, then the next round: a run that ends early has tried every case alike."""
        repeat, has_more = 0, True
        while has_more:
            repeat, has_more = repeat + 1, False
            for case in self.cases:
                tries = self.tries(case)
                if repeat > tries:
                    continue
                has_more = has_more or repeat < tries
                for variant_index, variant in enumerate(self.variants):
                    trial = Trial(case, variant, variant_index, repeat)
                    if not self.done or trial.key not in self.done:
                        yield trial


@dataclass(frozen=True, slots=True)
class PlannedCases(Sequence[PlannedCase]):
    """The cases ``numbers`` of a suite, each put together when it is asked for: there may be very many."""

    configs: Sequence[CaseConfig]
    names: Sequence[str]
    numbers: Sequence[int]
    place_of: Callable[[int], CasePlace]

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[PlannedCase]:
        configs, names, place_of = self.configs, self.names, self.place_of
        for index in self.numbers:
            yield PlannedCase(configs[index], names[index], index, place_of(index))

    @overload
    def __getitem__(self, place: int) -> PlannedCase: ...
    @overload
    def __getitem__(self, place: slice) -> PlannedCases: ...
    def __getitem__(self, place: int | slice) -> PlannedCase | PlannedCases:
        if isinstance(place, slice):
            return replace(self, numbers=self.numbers[place])
        index = self.numbers[place]
        return PlannedCase(self.configs[index], self.names[index], index, self.place_of(index))


def _nowhere(_index: int) -> CasePlace:
    return NOWHERE


def plan_cases(
    configs: Sequence[CaseConfig], selection: Selection, *, place_of: Callable[[int], CasePlace] = _nowhere
) -> PlannedCases:
    """The selected cases in the order of the file. Raises `ConfigError` when nothing is left to run."""
    if not configs:
        raise ConfigError("there is nothing to run: the agent file has no test cases", hint="add some under test_cases")
    if selection.pattern == "":
        raise ConfigError("there is nothing to run: the pattern is empty", hint="leave -k out to run all cases")
    names = case_names(configs)
    _refuse_unknown(selection.cases, names, "case")
    _refuse_unknown(selection.tags, sorted({tag for config in configs for tag in config.tags}), "tag")
    chosen = (
        index
        for index, (config, name) in enumerate(zip(configs, names, strict=True))
        if _is_selected(name, config.tags, selection)
    )
    numbers = array("L", islice(chosen, selection.limit))
    if not numbers:
        raise ConfigError(
            f"there is nothing to run: none of {len(configs)} cases is selected",
            hint=f"the names are {_some(names)}",
        )
    return PlannedCases(configs, names, numbers, place_of)


def case_names(configs: Iterable[CaseConfig]) -> list[str]:
    """A name for each case: its own, else one made of its input, so that it stays when other cases come and go."""
    configs = list(configs)
    taken = {config.name for config in configs if config.name}
    numbers: dict[str, int] = {}
    names = []
    for config in configs:
        name = config.name or _free_name(_name_from(first_input(config)), taken, numbers)
        taken.add(name)
        names.append(sys.intern(str(name)))
    return names


def first_input(config: CaseConfig) -> str:
    """What the user says first."""
    return config.input if config.input is not None else config.turns[0].input


def _name_from(text: str) -> str:
    words = _NOT_IN_NAMES.sub("-", text.lower()).strip("-")
    if len(words) <= _NAME_LENGTH:
        return words or "case"
    whole_words, _, _ = words[: _NAME_LENGTH + 1].rpartition("-")
    return whole_words or words[:_NAME_LENGTH]


def _free_name(wanted: str, taken: Collection[str], numbers: dict[str, int]) -> str:
    """``wanted``, or with the next free number behind it; ``numbers`` remembers where the search stood."""
    name = wanted
    while name in taken:
        numbers[wanted] = numbers.get(wanted, 1) + 1
        name = f"{wanted}-{numbers[wanted]}"
    return name


def _is_selected(name: str, tags: Collection[str], selection: Selection) -> bool:
    if selection.cases and name not in selection.cases:
        return False
    if selection.tags and not any(tag in tags for tag in selection.tags):
        return False
    return selection.pattern is None or _matches(name.casefold(), selection.pattern.casefold())


def _matches(name: str, pattern: str) -> bool:
    """A part of the name, or the whole name when the pattern has wildcards."""
    return fnmatchcase(name, pattern) if "*" in pattern or "?" in pattern else pattern in name


def _refuse_unknown(asked: Iterable[str], known: Sequence[str], kind: str) -> None:
    for name in asked:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            others = f"known: {_some(known)}" if known else f"no case has a {kind}"
            hint = f"did you mean {near[0]!r}?" if near else others
            raise ConfigError(f"there is no {kind} {name!r}", hint=hint)


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
