"""A suite is recorded against a real server, and replayed without it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.threaded_server import Asked, Reply, json_reply, threaded_server

Run = Callable[..., subprocess.CompletedProcess[str]]
KEY = "sk-canary-4711-do-not-write"

AGENT = """\
name: shop
model: {{provider: openai_compatible, name: m, endpoint: "{url}", api_key: "${{SHOP_API_KEY}}"}}
instructions: Answer briefly.
tools:
  - name: price
    type: function
    description: Tells a price.
    file: tools.py
    function: price
evaluations:
  model: {{provider: openai_compatible, name: judge, endpoint: "{url}", api_key: "${{SHOP_API_KEY}}"}}
  metrics:
    - metric: relevance
      threshold: 3
test_cases:
  - {{name: tent, input: What is the tent?, repeat: 2}}
  - {{name: boots, input: What are the boots?, expected_tools: [price]}}
  - name: talk
    turns:
      - input: What is the stove?
      - input: And the mug?
"""
TOOLS = """\
from pathlib import Path

CALLS = Path(__file__).with_name("calls.txt")


def price(item: str) -> dict:
    \"\"\"Tells a price.

    Args:
        item: the thing
    \"\"\"
    with CALLS.open("a") as file:
        file.write(item + "\\n")
    return {"item": item, "euros": 12, "token": "KEY"}
"""


class Shop:
    """A model that looks the price up and says it, and a judge that likes everything. It counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, asked: Asked) -> Reply:
        body = asked.body
        self.asked.append(body["model"])
        if body["model"] == "judge":
            return self._says(json.dumps({"score": 5, "reason": "fine", "reasoning": "fine", "rating": 5}), None)
        last = body["messages"][-1]
        if last["role"] == "tool":
            return self._says(f"It costs 12 euros ({len(self.asked)}).", None)
        text = last["content"] if isinstance(last["content"], str) else last["content"][0]["text"]
        item = text.split()[-1].strip("?")
        call = {"id": "c1", "type": "function", "function": {"name": "price", "arguments": json.dumps({"item": item})}}
        return self._says(None, [call])

    def _says(self, text: str | None, calls: list[Any] | None) -> Reply:
        message = {"role": "assistant", "content": text, "tool_calls": calls}
        choice = {"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}
        usage = {"prompt_tokens": 20, "completion_tokens": 6, "total_tokens": 26}
        return json_reply({"id": "x", "model": "m", "choices": [choice], "usage": usage})


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    model = Shop()
    with threaded_server() as server:
        server.answer = model
        (tmp_path / "agent.yaml").write_text(AGENT.format(url=f"{server.url}/v1"), encoding="utf-8")
        (tmp_path / "tools.py").write_text(TOOLS.replace("KEY", KEY), encoding="utf-8")
        yield model


def results(path: Path) -> list[dict[str, Any]]:
    """What the report says of each trial, without times."""
    found = json.loads(path.read_text(encoding="utf-8"))["tests"]
    return [timeless(test) for test in found]


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        dropped = {"started_at", "duration_s", "timestamp", "waited_s"}
        return {key: timeless(item) for key, item in value.items() if key not in dropped}
    return [timeless(item) for item in value] if isinstance(value, list) else value


def recorded(tmp_path: Path, seatrial: Run) -> list[dict[str, Any]]:
    done = seatrial("test", "--record", "rec", "--json-file", "one.json", SHOP_API_KEY=KEY)
    assert done.returncode == 0, done.stdout + done.stderr
    return results(tmp_path / "one.json")


def test_a_replay_needs_neither_server_nor_key_nor_tools_and_gives_the_same_report(
    tmp_path: Path, seatrial: Run, shop: Shop
) -> None:
    first = recorded(tmp_path, seatrial)
    calls = len(shop.asked)
    assert calls > 8
    assert "judge" in shop.asked
    assert sorted(path.name for path in (tmp_path / "rec").iterdir()) == ["boots.json", "talk.json", "tent.json"]
    tools = (tmp_path / "calls.txt").read_text(encoding="utf-8")

    done = seatrial("test", "--replay", "rec", "--json-file", "two.json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert results(tmp_path / "two.json") == first
    assert len(shop.asked) == calls
    assert (tmp_path / "calls.txt").read_text(encoding="utf-8") == tools
    assert "not used" not in done.stderr


def test_no_key_stands_in_a_recording(tmp_path: Path, seatrial: Run, shop: Shop) -> None:
    recorded(tmp_path, seatrial)
    texts = [path.read_text(encoding="utf-8") for path in (tmp_path / "rec").rglob("*.json")]
    assert not any(KEY in text for text in texts)
    assert any("[secret]" in text for text in texts)


def test_a_changed_case_fails_with_what_changed_and_the_others_go_on(tmp_path: Path, seatrial: Run, shop: Shop) -> None:
    recorded(tmp_path, seatrial)
    path = tmp_path / "agent.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("the boots?", "the shoes?"), encoding="utf-8")
    calls = len(shop.asked)
    done = seatrial("test", "--replay", "rec", "--json-file", "two.json")
    assert done.returncode == 1, done.stdout + done.stderr
    assert len(shop.asked) == calls
    outcomes = {test["name"]: test["outcome"] for test in results(tmp_path / "two.json")}
    assert outcomes == {"tent": "passed", "boots": "errored", "talk": "passed"}
    assert '- message 1 (user): "What are the boots?"' in done.stdout
    assert '+ message 1 (user): "What are the shoes?"' in done.stdout

    done = seatrial("test", "--replay", "rec", "--record-missing", SHOP_API_KEY=KEY)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(shop.asked) == calls + 3  # two of the agent, one of the judge
    done = seatrial("test", "--replay", "rec")
    assert done.returncode == 0, done.stdout + done.stderr


def test_live_tools_are_run_and_models_are_not(tmp_path: Path, seatrial: Run, shop: Shop) -> None:
    recorded(tmp_path, seatrial)
    (tmp_path / "calls.txt").unlink()
    calls = len(shop.asked)
    done = seatrial("test", "--replay", "rec", "--live-tools", SHOP_API_KEY=KEY)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(shop.asked) == calls
    assert len((tmp_path / "calls.txt").read_text(encoding="utf-8").splitlines()) == 5


def test_a_try_that_was_not_recorded_is_told(tmp_path: Path, seatrial: Run, shop: Shop) -> None:
    recorded(tmp_path, seatrial)
    done = seatrial("test", "--replay", "rec", "--case", "tent", "--repeat", "3")
    assert done.returncode == 1
    assert "try 3 of this case was not recorded, only tries 1, 2" in done.stdout


def test_recordings_of_cases_that_are_gone_are_told_at_the_end(tmp_path: Path, seatrial: Run, shop: Shop) -> None:
    recorded(tmp_path, seatrial)
    path = tmp_path / "agent.yaml"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "boots" not in line), encoding="utf-8")
    done = seatrial("test", "--replay", "rec")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "not used of the recording: the whole of boots.json" in done.stderr


def test_variants_and_models_side_by_side_have_recordings_of_their_own(
    tmp_path: Path, seatrial: Run, shop: Shop
) -> None:
    options = ["--model", "m", "--model", "other", "--case", "boots"]
    done = seatrial("test", "--record", "rec", *options, "--json-file", "one.json", SHOP_API_KEY=KEY)
    assert done.returncode == 0, done.stdout + done.stderr
    calls = len(shop.asked)
    done = seatrial("test", "--replay", "rec", *options, "--json-file", "two.json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert results(tmp_path / "two.json") == results(tmp_path / "one.json")
    assert len(shop.asked) == calls


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--record", "a", "--replay", "b"], "--replay DIR --record-missing"),
        (["--record-missing"], "--record-missing needs --replay DIR"),
        (["--record", "a", "--record-missing"], "--record-missing needs --replay DIR"),
        (["--live-tools"], "--live-tools needs --replay DIR"),
        (["--live-tools", "--record-missing"], "--record-missing and --live-tools need --replay DIR"),
        (["--replay", "nothing"], "there is no recording at nothing"),
        (["--record", "agent.yaml"], "agent.yaml"),
    ],
)
def test_options_that_contradict_each_other_are_one_clear_error(
    tmp_path: Path, seatrial: Run, shop: Shop, options: list[str], told: str
) -> None:
    done = seatrial("test", *options, SHOP_API_KEY=KEY)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert shop.asked == []


def test_a_missing_key_is_still_an_error_where_it_is_needed(tmp_path: Path, seatrial: Run, shop: Shop) -> None:
    recorded(tmp_path, seatrial)
    for options in ([], ["--record", "rec"]):
        done = seatrial("test", *options)
        assert done.returncode == 2
        assert "SHOP_API_KEY is not set" in done.stderr


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, seatrial: Run, shop: Shop) -> None:
    if os.geteuid() == 0:
        (tmp_path / "file").write_text("", encoding="utf-8")
        target = "file/rec"
    else:
        (tmp_path / "locked").mkdir(mode=0o500)
        target = "locked/rec"
    done = seatrial("test", "--record", target, SHOP_API_KEY=KEY)
    assert done.returncode == 2
    assert "nothing can be recorded in" in done.stderr


def test_a_resumed_run_goes_on_with_its_recording(tmp_path: Path, seatrial: Run, shop: Shop) -> None:
    first = seatrial("test", "--record", "rec", "--max-tokens", "1", "--concurrency", "1", SHOP_API_KEY=KEY)
    assert first.returncode == 1
    second = seatrial("test", "--record", "rec", "--resume", SHOP_API_KEY=KEY)
    assert second.returncode == 0, second.stdout + second.stderr
    calls = len(shop.asked)
    done = seatrial("test", "--replay", "rec")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(shop.asked) == calls


SERVERS = Path(__file__).parents[1] / "support" / "mcp_servers"
ALLOWED = {"SEATRIAL_ALLOW_MCP": "1"}


def write_agent_with_server(folder: Path, question: str = "ask") -> None:
    (folder / "shop.py").write_text("def one(): return 'mine'\n", encoding="utf-8")
    replies = [{"calls": [{"name": "pages_one"}, {"name": "two"}]}, "done"]
    (folder / "script.json").write_text(json.dumps(replies), encoding="utf-8")
    server = {"name": "pages", "type": "mcp", "description": "d", "command": sys.executable}
    own = {"name": "one", "type": "function", "description": "d", "file": "shop.py", "function": "one"}
    agent = {
        "name": "shop",
        "model": {"provider": "scripted", "name": "script.json"},
        "instructions": "Answer.",
        "tools": [own, {**server, "args": [str(folder / "servers" / "lists.py"), "paged"]}],
        "test_cases": [{"name": "case", "input": question, "expected_tools": ["pages", "two"]}],
    }
    (folder / "agent.yaml").write_text(json.dumps(agent), encoding="utf-8")


def test_a_server_of_tools_is_neither_started_nor_allowed_in_a_replay(tmp_path: Path, seatrial: Run) -> None:
    shutil.copytree(SERVERS, tmp_path / "servers")
    write_agent_with_server(tmp_path)
    done = seatrial("test", "--record", "rec", "--json-file", "one.json", **ALLOWED)
    assert done.returncode == 0, done.stdout + done.stderr
    shutil.rmtree(tmp_path / "servers")
    done = seatrial("test", "--replay", "rec", "--json-file", "two.json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert results(tmp_path / "two.json") == results(tmp_path / "one.json")


def test_a_replay_needs_no_variable_of_what_it_does_not_start(tmp_path: Path, seatrial: Run) -> None:
    shutil.copytree(SERVERS, tmp_path / "servers")
    write_agent_with_server(tmp_path)
    agent = json.loads((tmp_path / "agent.yaml").read_text(encoding="utf-8"))
    server = agent["tools"][1]
    server["command"], server["args"][0] = "${PAGES_PROGRAM}", "${PAGES_SCRIPT}"
    server["env"], server["cwd"] = {"REGION": "${PAGES_REGION}"}, "${PAGES_FOLDER}"
    (tmp_path / "agent.yaml").write_text(json.dumps(agent), encoding="utf-8")
    script, folder = str(tmp_path / "servers" / "lists.py"), str(tmp_path)
    here = {"PAGES_PROGRAM": sys.executable, "PAGES_SCRIPT": script, "PAGES_REGION": "eu", "PAGES_FOLDER": folder}
    done = seatrial("test", "--record", "rec", "--json-file", "one.json", **ALLOWED, **here)
    assert done.returncode == 0, done.stdout + done.stderr
    done = seatrial("test", "--replay", "rec", "--json-file", "two.json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert results(tmp_path / "two.json") == results(tmp_path / "one.json")
    done = seatrial("test", "--replay", "rec", "--live-tools", **ALLOWED)
    assert done.returncode == 2
    assert "the environment variable PAGES_SCRIPT is not set" in done.stderr


def test_a_call_that_is_missing_goes_to_the_server(tmp_path: Path, seatrial: Run) -> None:
    shutil.copytree(SERVERS, tmp_path / "servers")
    write_agent_with_server(tmp_path)
    assert seatrial("test", "--record", "rec", **ALLOWED).returncode == 0
    path = tmp_path / "rec" / "case.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    calls = document["trials"][0]["calls"]
    document["trials"][0]["calls"] = [call for call in calls if call.get("tool") != "two"]
    path.write_text(json.dumps(document), encoding="utf-8")
    done = seatrial("test", "--replay", "rec")
    assert done.returncode == 1
    assert "a call of the tool two is not in the recording" in done.stdout
    done = seatrial("test", "--replay", "rec", "--record-missing", **ALLOWED)
    assert done.returncode == 0, done.stdout + done.stderr
    done = seatrial("test", "--replay", "rec")
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_try_asks_the_model_to_draw_by_a_number_of_its_own(tmp_path: Path, seatrial: Run) -> None:
    shop = Shop()
    seeds: list[object] = []

    def answer(asked: Asked) -> Reply:
        if asked.body["model"] == "m":
            seeds.append(asked.body.get("seed"))
        return shop(asked)

    with threaded_server() as server:
        server.answer = answer
        (tmp_path / "agent.yaml").write_text(AGENT.format(url=f"{server.url}/v1"), encoding="utf-8")
        (tmp_path / "tools.py").write_text(TOOLS, encoding="utf-8")
        options = ["test", "--case", "boots", "--repeat", "3", "--concurrency", "1"]
        assert seatrial(*options, "--seed", "7", "--record", "rec", SHOP_API_KEY=KEY).returncode == 0
        assert seeds == [7, 7, 8, 8, 9, 9]
        assert seatrial(*options, SHOP_API_KEY=KEY).returncode == 0
        assert seeds[6:] == [None] * 6
    assert seatrial(*options, "--seed", "7", "--replay", "rec").returncode == 0
    other = seatrial(*options, "--seed", "8", "--replay", "rec")
    assert other.returncode == 1
    assert "- seed: 7" in other.stdout
    assert "+ seed: 8" in other.stdout


def test_a_recording_that_cannot_be_written_costs_no_result(tmp_path: Path, seatrial: Run) -> None:
    (tmp_path / "agent.yaml").write_text(
        "name: a\nmodel: {provider: scripted, name: s.json}\ninstructions: x\n"
        "tools: [{name: fill, type: function, description: d, file: tools.py, function: fill}]\n"
        "test_cases:\n  - {name: one, input: a, checks: [{contains: done}]}\n"
        "  - {name: two, input: b, checks: [{contains: done}]}\n"
    )
    (tmp_path / "s.json").write_text('[{"calls": [{"name": "fill", "arguments": {}}]}, "done", "done"]')
    (tmp_path / "tools.py").write_text(
        "import pathlib, shutil\n\ndef fill() -> str:\n    shutil.rmtree('tape')\n"
        "    pathlib.Path('tape').write_text('full')\n    return 'ok'\n"
    )
    done = seatrial("test", "--record", "tape", "--concurrency", "1")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "2 of 2 passed" in done.stdout
    assert "nothing can be recorded in tape" in done.stderr
    assert "(2 trials not recorded)" in done.stderr


@pytest.mark.parametrize("folder", [".", ""])
def test_a_project_is_no_folder_for_recordings(tmp_path: Path, seatrial: Run, shop: Shop, folder: str) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    done = seatrial("test", "--record", folder, SHOP_API_KEY=KEY)
    assert done.returncode == 2
    assert "it holds what is no recording" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != ".seatrial") == before
