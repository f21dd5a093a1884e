"""What a check found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

State = Literal["ok", "absent", "problem"]


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """``absent`` is something that may be missing. ``mend`` is what to do, best a line to paste.

    ``exit_code`` is what a problem comes to: 2 the user's own affair, 3 one of the world outside.
    """

    about: str
    state: State
    message: str
    mend: str = ""
    exit_code: int = 0


def ok(about: str, message: str) -> Finding:
    """All is well."""
    return Finding(about, "ok", message)


def absent(about: str, message: str, mend: str = "") -> Finding:
    """It is not there and need not be."""
    return Finding(about, "absent", message, mend)


def problem(about: str, message: str, mend: str | None, exit_code: int = 2) -> Finding:
    """Something will fail."""
    return Finding(about, "problem", message, mend or "", exit_code)


def told_once(findings: Sequence[Finding]) -> list[Finding]:
    """One trouble, one finding: not again with the same mend, and not as merely absent besides."""
    troubles = {finding.about for finding in findings if finding.state == "problem"}
    seen: set[tuple[str, str]] = set()
    kept = []
    for finding in findings:
        trouble = (finding.about, finding.mend)
        if finding.state == "problem" and finding.mend:
            if trouble in seen:
                continue
            seen.add(trouble)
        if finding.state != "absent" or finding.about not in troubles:
            kept.append(finding)
    return kept


def exit_code_of(findings: Sequence[Finding]) -> int:
    """The user's own affairs come before the world outside: 2, then 3, else 0."""
    codes = {finding.exit_code for finding in findings if finding.state == "problem"}
    return 0 if not codes else min(codes)
