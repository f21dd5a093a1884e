"""Lines of a file that may not even parse, shown without the values of secret keys."""

from __future__ import annotations

import re
from collections.abc import Sequence

from seatrial.config.secrets import MASK, is_holder_of_secrets, is_secret_name

_PAIR = re.compile(r"""^(\s*(?:-\s+)*["']?(?P<name>[\w.-]+)["']?\s*[:=]\s*)(?P<value>\S.*)$""")
_PAIR_IN_FLOW = re.compile(r"""(["']?([\w.-]+)["']?\s*:\s*)("[^"]*"?|'[^']*'?|[^,}\]]+)""")
_VARIABLE = re.compile(r"\$\{[A-Za-z_]\w*\}")


def mask_line(lines: Sequence[str], number: int) -> str:
    """Line ``number`` (from 1) without the value of a secret key; variables stay, they are names and no values.

    Which block a line stands in is judged by the indents above it.
    """
    line = lines[number - 1]
    is_inside = _stands_under_holder(lines, number)
    match = _PAIR.match(line)
    is_item = line.lstrip().startswith("-")
    if match is not None and ((is_inside and not is_item) or is_secret_name(match["name"])):
        return match[1] + _hidden(match["value"])
    if is_inside:
        indent = line[: len(line) - len(line.lstrip())]
        return indent + _hidden(line.strip())
    return _PAIR_IN_FLOW.sub(
        lambda pair: pair[1] + _hidden(pair[3]) if is_holder_of_secrets(pair[2]) else pair[0], line
    )


def _hidden(value: str) -> str:
    bare = value.strip().strip("\"'")
    return value if _VARIABLE.fullmatch(bare) or bare in ("|", ">", "|-", ">-") else MASK


def _stands_under_holder(lines: Sequence[str], number: int) -> bool:
    indent = _indent(lines[number - 1])
    for line in reversed(lines[: number - 1]):
        if not line.strip() or _indent(line) >= indent:
            continue
        indent = _indent(line)
        name = line.strip().removeprefix("- ").partition(":")[0].strip("\"' ")
        if is_holder_of_secrets(name):
            return True
        if indent == 0:
            return False
    return False


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
