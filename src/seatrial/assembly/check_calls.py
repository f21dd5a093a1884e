"""Whether a case's expected and forbidden tools can be meant together, and be called with those arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from seatrial.config.agent import AgentConfig
from seatrial.config.cases import ExpectationConfig
from seatrial.config.diagnostics import Diagnostic
from seatrial.config.expected_tools import ExpectedToolConfig
from seatrial.config.loaded import LoadedAgent
from seatrial.config.located import KeyPath
from seatrial.config.matcher_names import matcher_kind, slip_of_matcher
from seatrial.config.names import did_you_mean
from seatrial.config.parameters import ParameterConfig
from seatrial.config.tools import FunctionToolConfig, PromptToolConfig
from seatrial.core.schema import problems_of
from seatrial.metrics.trajectory.calls import shortened, shown_value

Parameters = Mapping[str, ParameterConfig]


def declared_parameters(config: AgentConfig) -> dict[str, Parameters]:
    """The parameters that the file declares, by tool; tools of which it has several versions are left out."""
    of_variants = [tool for variant in config.variants for tool in variant.tools or () if not isinstance(tool, str)]
    redefined = {tool.name for tool in of_variants}
    return {
        tool.name: tool.parameters
        for tool in config.tools
        if isinstance(tool, FunctionToolConfig | PromptToolConfig)
        and tool.parameters is not None
        and tool.name not in redefined
    }


def check_calls(
    loaded: LoadedAgent, path: KeyPath, case: ExpectationConfig, declared: Mapping[str, Parameters]
) -> Iterator[Diagnostic]:
    """Arguments that no call can have, and tools that must and must not be called."""
    for index, tool in enumerate(case.expected_tools or ()):
        yield from _slips(loaded, (*path, "expected_tools", index, "args"), tool)
        if tool.name in declared:
            yield from _arguments(loaded, (*path, "expected_tools", index), tool, declared[tool.name])
    needed = {tool.name for tool in case.expected_tools or () if tool.count != 0}
    for index, name in enumerate(case.forbidden_tools):
        if name in needed:
            message = f"`{name}` is expected and forbidden"
            hint = "keep one of the two; to limit the calls, write max_count on the expected tool"
            yield loaded.diagnose("ST203", (*path, "forbidden_tools", index), message, hint=hint)


def _slips(loaded: LoadedAgent, path: KeyPath, tool: ExpectedToolConfig) -> Iterator[Diagnostic]:
    """Blocks that may be arguments, and look more like matchers."""
    for name, wanted in tool.args.items():
        slip = slip_of_matcher(wanted)
        if slip is not None:
            message = f"`{{{slip.key}: ...}}` is compared as a value: `{slip.key}` is no matcher"
            hint = f"did you mean `{slip.meant}`? If not, write `{{literal: {{{slip.key}: ...}}}}`"
            yield loaded.diagnose("ST510", (*path, name), message, hint=hint)


def _arguments(
    loaded: LoadedAgent, path: KeyPath, tool: ExpectedToolConfig, parameters: Parameters
) -> Iterator[Diagnostic]:
    for name, wanted in tool.args.items():
        place = (*path, "args", name)
        if name not in parameters:
            message = f"{tool.name} has no parameter `{name}`"
            hint = did_you_mean(name, parameters) if parameters else "it takes no arguments"
            yield loaded.diagnose("ST203", place, message, hint=hint)
        elif matcher_kind(wanted) == "literal":
            value = _literal(wanted)
            problems = problems_of(parameters[name].json_schema(), value)
            if problems:
                message = f"no call of {tool.name} can have `{name}: {shortened(shown_value(value))}`"
                yield loaded.diagnose("ST203", place, message, hint=f"its declared parameter says: {problems[0]}")


def _literal(wanted: Any) -> Any:
    return wanted["literal"] if isinstance(wanted, dict) and set(wanted) == {"literal"} else wanted
