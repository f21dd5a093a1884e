"""Lines of a file that may not even parse, shown without the values of secret keys."""

from __future__ import annotations

import re
from collections.abc import Sequence

from seatrial.config.secrets import MASK, is_holder_of_secrets, is_secret_name

_PAIR = re.compile(r"""^([ \t]*(?:-[ \t]+)*["']?(?P<name>[\w.-]++)["']?[ \t]*[:=][ \t]*)(?P<value>\S.*)$""")
_PAIR_IN_FLOW = re.compile(
    r"""((?<![\w.-])["']?([\w.-]++)["']?[ \t]*+:[ \t]*+)"""
    r"""("[^"]*+"?|'[^']*+'?|(?:\$\{[^}]*+\}?|[^,{}\]\[\s])(?:\$\{[^}]*+\}?|[^,}\]])*+)"""
)
_HOLDER_IN_FLOW = re.compile(r"""(?<![\w.-])["']?([\w.-]++)["']?[ \t]*+:[ \t]*+(?:&\S++[ \t]++)?(?=[{\[])""")
_IN_HOLDER = re.compile(
    r"""(?P<key>["']?[\w.-]++["']?[ \t]*+:(?=[ \t{\["']|$)[ \t]*+)"""
    r"""|(?P<value>"[^"]*+"?|'[^']*+'?|(?:\$\{[^}]*+\}?|[^,{}\[\]\s])(?:\$\{[^}]*+\}?|[^,{}\[\]])*+)"""
)
_BRACKETS = re.compile(r""""[^"]*+"?|'[^']*+'?|\$\{[^}]*+\}?|[{}\[\]]""")
_QUERY = re.compile(r"""(?<=://)([^\s"'?#<>]++\?)(?P<query>(?:\$\{[^}\s]*+\}|[^\s"'#<>{}\]$])++)""")
_VARIABLE = re.compile(r"(\$\{[A-Za-z_]\w*(?:\}|:-))")
_SCHEME = re.compile(r"(?:bearer|basic|token|apikey|digest) ++", re.I)
_MARKS = ("|", ">", "|-", ">-")


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
    line = _QUERY.sub(lambda found: found[1] + _hidden(found["query"]), line)
    match = _PAIR.match(line)
    is_item = line.lstrip().startswith("-")
    if match is not None and ((is_below_holder and not is_item) or is_secret_name(match["name"])):
        return match[1] + _hidden(match["value"])
    if is_below_holder:
        start = len(line) - len(line.lstrip("- \t"))
        return line[:start] + _hidden(line[start:])
    return _without_pairs(line)


def _without_pairs(line: str) -> str:
    """The line without the values of secret keys in flow style, nor anything in the blocks of holders."""
    for holder in _HOLDER_IN_FLOW.finditer(line):
        if is_holder_of_secrets(holder[1]):
            end = _end_of_block(line, holder.end())
            inner = _IN_HOLDER.sub(lambda part: part["key"] or _hidden(part["value"]), line[holder.end() : end])
            before = _PAIR_IN_FLOW.sub(_hidden_pair, line[: holder.start()])
            return before + holder[0] + inner + _without_pairs(line[end:])
    return _PAIR_IN_FLOW.sub(_hidden_pair, line)


def _end_of_block(line: str, start: int) -> int:
    """Where the bracket at ``start`` closes; the line's end when it does not on this line."""
    depth = 0
    for mark in _BRACKETS.finditer(line, start):
        if mark[0] in ("{", "["):
            depth += 1
        elif mark[0] in ("}", "]"):
            depth -= 1
        if depth == 0:
            return mark.end()
    return len(line)


def _hidden_pair(pair: re.Match[str]) -> str:
    return pair[1] + _hidden(pair[3]) if is_holder_of_secrets(pair[2]) else pair[0]


def _hidden(value: str) -> str:
    """The value with each literal part masked; its quotes, a scheme such as ``Bearer`` and variables stay."""
    if value.strip() in _MARKS:
        return value
    quote = value[0] if value[:1] in ("'", '"') else ""
    inner = value.removeprefix(quote).rstrip()
    closing = quote if quote and inner.endswith(quote) else ""
    inner = inner.removesuffix(closing)
    scheme = _SCHEME.match(inner)
    before = scheme[0] if scheme is not None else ""
    parts = _VARIABLE.split(inner.removeprefix(before))
    hidden = [part if place % 2 else _hidden_text(part) for place, part in enumerate(parts)]
    return f"{quote}{before}{''.join(hidden)}{closing}"


def _hidden_text(text: str) -> str:
    bare = text.rstrip("}")
    return (MASK if bare.strip(" \t\"'") else bare) + text[len(bare) :]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
