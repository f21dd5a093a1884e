"""Lines of a file that may not even parse, shown without the values of secret keys."""

from __future__ import annotations

import re
from collections.abc import Sequence

from seatrial.config.secrets import MASK, is_holder_of_secrets, is_secret_name

_PAIR = re.compile(r"""^([ \t]*(?:-[ \t]+)*["']?(?P<name>[\w.-]++)["']?[ \t]*[:=][ \t]*)(?P<value>\S.*)$""")
_PAIR_IN_FLOW = re.compile(
    r"""((?<![\w.-])["']?([\w.-]++)["']?[ \t]*+:[ \t]*+)("[^"]*+"?|'[^']*+'?|[^,}\]\s][^,}\]]*+)"""
)
_QUERY = re.compile(r"""(?<=://)([^\s"'?#<>]++\?)(?P<query>[^\s"'#<>{}\]$]++)""")
_VARIABLE = re.compile(r"\$\{[A-Za-z_]\w*\}")


def lines_below_holders(lines: Sequence[str]) -> list[bool]:
    """For each line whether it stands below a key whose values are all secret, judged by the indents alone."""
    made: list[bool] = []
    above: list[tuple[int, bool]] = []
    for line in lines:
        text = line.strip()
        if not text:
            made.append(bool(above) and above[-1][1])
            continue
        indent = _indent(line)
        while above and above[-1][0] >= indent:
            above.pop()
        is_below = bool(above) and above[-1][1]
        made.append(is_below)
        name = text.removeprefix("- ").partition(":")[0].strip("\"' ")
        above.append((indent, is_below or is_holder_of_secrets(name)))
    return made


def mask_line(line: str, *, is_below_holder: bool) -> str:
    """The line without the value of a secret key and the query of an address; variables stay, they are names."""
    line = _QUERY.sub(lambda found: found[1] + MASK, line)
    match = _PAIR.match(line)
    is_item = line.lstrip().startswith("-")
    if match is not None and ((is_below_holder and not is_item) or is_secret_name(match["name"])):
        return match[1] + _hidden(match["value"])
    if is_below_holder:
        return line[: _indent(line)] + _hidden(line.strip())
    return _PAIR_IN_FLOW.sub(_hidden_pair, line)


def _hidden_pair(pair: re.Match[str]) -> str:
    return pair[1] + _hidden(pair[3]) if is_holder_of_secrets(pair[2]) else pair[0]


def _hidden(value: str) -> str:
    bare = value.strip().strip("\"'")
    return value if _VARIABLE.fullmatch(bare) or bare in ("|", ">", "|-", ">-") else MASK


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
