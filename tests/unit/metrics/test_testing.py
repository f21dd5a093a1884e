"""The face for users' own tests."""

from __future__ import annotations

import subprocess
import sys

import pytest

from seatrial import testing
from seatrial.testing import score_text


def test_one_pair_is_scored_without_an_agent() -> None:
    assert score_text("f1_score", "You have 30 days.", "30 days") == pytest.approx(2 / 3)
    assert score_text("bleu", "the same five words here", "the same five words here", scale=100) == pytest.approx(100)


def test_nothing_is_loaded_before_it_is_used_and_nothing_else_is_offered() -> None:
    code = "import seatrial.testing, sys; print([name for name in sys.modules if name.startswith('seatrial.metrics')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
    assert dir(testing) == sorted(testing.__all__)
    with pytest.raises(AttributeError, match="no attribute 'score'"):
        testing.__getattr__("score")
