"""A provider that asks to be left alone for a while is left alone by every worker, and nothing is lost meanwhile."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.support.threaded_server import Asked, Reply, json_reply, threaded_server

AGENT = """\
name: crowd
model: {{provider: openai_compatible, name: m, endpoint: "{url}/v1"}}
instructions: Answer.
test_cases:
"""
WORKERS, CASES = 4, 10
PAUSE_S = 1.0
FULL = Reply(b'{"error": {"message": "slow down"}}', 429, {"retry-after": "1", "content-type": "application/json"})
NOTHING_LEFT = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s"}


class Crowded:
    """Takes a request from every worker, answers the first with ``wish``, and the others once that has been heard."""

    def __init__(self, wish: Callable[[Reply], Reply]) -> None:
        self.wish = wish
        self.numbers = count()
        self.all_here = threading.Barrier(WORKERS)
        self.said_at = 0.0
        self.came_after_s: list[float] = []

    def __call__(self, asked: Asked) -> Reply:
        message = {"role": "assistant", "content": f"Fine: {asked.body['messages'][-1]['content']}"}
        choices = [{"index": 0, "finish_reason": "stop", "message": message}]
        usage = {"prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4}
        answer = json_reply({"id": "x", "model": "m", "choices": choices, "usage": usage})
        number = next(self.numbers)
        if number >= WORKERS:
            self.came_after_s.append(time.monotonic() - self.said_at)
            return answer
        is_last = self.all_here.wait(timeout=30) == 0
        if is_last:
            self.said_at = time.monotonic()
            return self.wish(answer)
        threading.Event().wait(PAUSE_S / 3)
        return answer


@pytest.mark.parametrize(
    ("wish", "requests"),
    [
        (lambda _answer: FULL, CASES + 1),
        (lambda answer: Reply(answer.body, 200, NOTHING_LEFT), CASES),
    ],
    ids=["429 with Retry-After", "rate-limit headers"],
)
def test_p010_a_host_that_asks_one_worker_to_wait_hears_of_no_other_before_that_time(
    wish: Callable[[Reply], Reply],
    requests: int,
    tmp_path: Path,
    seatrial: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    model = Crowded(wish)
    with threaded_server() as server:
        server.answer = model
        cases = "".join(
            f"  - {{name: c{number}, input: q{number}, checks: [{{contains: q{number}}}]}}\n" for number in range(CASES)
        )
        (tmp_path / "agent.yaml").write_text(AGENT.format(url=server.url) + cases, encoding="utf-8")
        done = seatrial("test", "--concurrency", str(WORKERS), "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert min(model.came_after_s) >= PAUSE_S
    assert len(server.requests) == requests
    tests: list[dict[str, Any]] = json.loads(done.stdout)["tests"]
    assert [test["name"] for test in tests if test["outcome"] == "passed"] == [f"c{n}" for n in range(CASES)]
