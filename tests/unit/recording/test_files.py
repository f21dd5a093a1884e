"""The files of a recording: readable, stable, whole at every moment, and without secrets."""

from __future__ import annotations

import asyncio
import base64
import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.simple_tools import INTEGER, tool
from tests.support.tapes import CASE, never, on_tape, recorded, replayed

from seatrial.core.content import ImageContent, ToolCall
from seatrial.core.messages import UserMessage
from seatrial.core.model import ModelInfo, ModelRequest, ToolSpec
from seatrial.core.tool import SimpleTool, ToolContext, ToolOutput
from seatrial.core.usage import ModelCost, Usage
from seatrial.errors import RunError
from seatrial.providers.scripted import calls, calls_many, says, scripted
from seatrial.recording.cassette import Cassette
from seatrial.recording.deck import Deck, Masking
from seatrial.recording.folder import Folder, stem_of
from seatrial.runs.masking import Masker


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("case", "stem"),
    [
        ("order on its way", "order-on-its-way"),
        ("Größe 42/43?", "grösse-42-43"),
        ("../../etc/passwd", "etc-passwd"),
        ("日本語のケース", "日本語のケース"),
        ("v1.2", "v1.2"),
    ],
)
def test_a_file_is_named_after_its_case(case: str, stem: str) -> None:
    assert stem_of(case) == stem


@pytest.mark.parametrize("case", ["", "???", "con", "NUL", "x" * 300, "_models", "..", "💥" * 90])
def test_names_that_no_file_can_have_get_a_mark(case: str) -> None:
    stem = stem_of(case)
    assert len(stem.encode()) < 120
    assert not stem.startswith((".", "_", "-"))
    assert stem.casefold() not in {"con", "nul", ""}


@given(st.lists(st.text(max_size=30), min_size=2, max_size=8, unique=True))
def test_no_two_cases_share_a_file(cases: list[str]) -> None:
    folder = Folder(Path("recording"), cases)
    paths = [folder.path_of(case) for case in cases]
    assert len({path.name.casefold() for path in paths}) == len(cases)
    assert {path.parent for path in paths} == {Path("recording").absolute()}


async def test_a_case_is_found_when_another_of_a_like_name_comes_or_goes(tmp_path: Path) -> None:
    async def say(cases: list[str], case: str, text: str | None) -> str:
        deck = Deck(tmp_path, cases, is_recording=text is not None, is_replaying=text is None)
        model = deck.model(never if text is None else lambda: scripted(text), provider="scripted", name="scripted")
        with deck.trial(case, "", 1):
            return (await model.respond(ModelRequest("", (UserMessage("hi"),)))).text

    await say(["a b"], "a b", "one")
    assert await say(["a b", "A-B"], "a b", None) == "one"
    await say(["a b", "A-B"], "A-B", "two")
    assert await say(["a b", "A-B"], "a b", None) == "one"
    assert await say(["A-B"], "A-B", None) == "two"
    await say(["a b", "A-B"], "a b", "one again")
    assert len(names_in(tmp_path)) == 2


async def test_the_same_calls_give_the_same_file_whichever_of_the_parallel_ones_is_first(tmp_path: Path) -> None:
    def tools(first: str) -> list[SimpleTool]:
        has_ended = asyncio.Event()

        async def run(arguments: dict[str, Any], context: ToolContext) -> str:
            del arguments
            name = context.tool_call_id[-1]
            if name != first:
                await has_ended.wait()
            has_ended.set()
            return "done"

        return [tool(f"tool_{number}", run) for number in (1, 2)]

    files = []
    for number, first in enumerate("12"):
        folder = tmp_path / str(number)
        await recorded(folder, scripted(calls_many(("tool_1", {}), ("tool_2", {})), "ok"), tools(first))
        document = json.loads((folder / "a-case.json").read_text(encoding="utf-8"))
        files.append(document["trials"][0]["calls"])
    assert files[0] == files[1]


async def test_judges_that_answer_in_another_order_give_the_same_file(tmp_path: Path) -> None:
    async def grade(folder: Path, slow: str) -> str:
        deck = Deck(folder, [CASE], is_recording=True)
        has_answered = asyncio.Event()

        async def answer(request: ModelRequest) -> Any:
            name = request.messages[0].text
            if name == slow:
                await has_answered.wait()
            else:
                has_answered.set()
            return says(f"about {name}")

        script = scripted(*[answer] * 4)
        judge = deck.model(lambda: script, provider="scripted", name="judge", is_judge=True)

        async def metric(name: str) -> None:
            for _ in range(2):
                await judge.respond(ModelRequest("grade", (UserMessage(name),)))

        with deck.trial(CASE, "", 1):
            await asyncio.gather(metric("one"), metric("two"))
        return (folder / "a-case.json").read_text(encoding="utf-8")

    assert await grade(tmp_path / "a", "one") == await grade(tmp_path / "b", "two")


async def test_a_recording_is_indented_json_that_says_each_thing_once(tmp_path: Path) -> None:
    text = "You help.\nYou are brief."
    script = scripted(calls("look"), calls("look"), "done")
    await recorded(tmp_path, script, [tool("look")], system_prompt=text, is_streamed=False)
    written = (tmp_path / "a-case.json").read_text(encoding="utf-8")
    document = json.loads(written)
    assert document["instructions"] == [["You help.", "You are brief."]]
    assert [spec["name"] for spec in document["tools"]] == ["look"]
    kinds = [(call["kind"], call["number"], call.get("continues")) for call in document["trials"][0]["calls"]]
    assert kinds == [("model", 1, None), ("tool", 2, None), ("model", 3, 1), ("tool", 4, None), ("model", 5, 3)]
    assert written.count("\n") > 50
    assert written.endswith("}\n")


async def test_repeats_and_variants_stand_in_one_file_in_their_order(tmp_path: Path) -> None:
    deck = Deck(tmp_path, [CASE], is_recording=True)
    model = deck.model(lambda: scripted(*["x"] * 4), provider="scripted", name="scripted")
    for variant, repeat in (("b", 2), ("a", 1), ("b", 1), ("a", 2)):
        with deck.trial(CASE, variant, repeat):
            await model.respond(ModelRequest(variant, (UserMessage("hi"),)))
    document = json.loads((tmp_path / "a-case.json").read_text(encoding="utf-8"))
    assert [(trial["variant"], trial.get("repeat", 1)) for trial in document["trials"]] == [
        ("a", 1), ("a", 2), ("b", 1), ("b", 2)
    ]  # fmt: skip
    assert document["instructions"] == [["a"], ["b"]]


async def test_recording_a_case_anew_drops_what_was_recorded_of_it_before(tmp_path: Path) -> None:
    deck = Deck(tmp_path, [CASE], is_recording=True)
    for repeat in (1, 2):
        await on_tape(deck, lambda: scripted("old"), repeat=repeat)
    await recorded(tmp_path, scripted("new"))
    document = json.loads((tmp_path / "a-case.json").read_text(encoding="utf-8"))
    assert len(document["trials"]) == 1


async def test_a_resumed_recording_keeps_what_its_first_part_recorded(tmp_path: Path) -> None:
    await recorded(tmp_path, scripted("one"))
    deck = Deck(tmp_path, [CASE], is_recording=True, keeps_others=True)
    await on_tape(deck, lambda: scripted("two"), repeat=2)
    assert (await replayed(tmp_path)).result.text == "one"
    assert (await replayed(tmp_path, repeat=2)).result.text == "two"


async def test_a_trial_that_was_broken_off_is_not_written(tmp_path: Path) -> None:
    deck = Deck(tmp_path, [CASE], is_recording=True)
    with deck.trial(CASE, "", 1) as tape:
        tape.discard()
    with pytest.raises(KeyboardInterrupt), deck.trial(CASE, "", 1):
        raise KeyboardInterrupt
    assert names_in(tmp_path) == []


async def test_pictures_that_no_case_shows_any_more_go_with_the_next_whole_recording(tmp_path: Path) -> None:
    def asked(letter: str) -> UserMessage:
        return UserMessage((ImageContent("iVBORw0KGgo" + letter * 1001, "image/png"),))

    for letter in "AB":
        deck = Deck(tmp_path, [CASE], is_recording=True)
        await on_tape(deck, lambda: scripted("a cat"), prompts=(asked(letter),))
        assert len(names_in(tmp_path / "blobs")) == "AB".index(letter) + 1
    deck.close(is_whole_suite=True)
    assert len(names_in(tmp_path / "blobs")) == 1
    assert (await replayed(tmp_path, prompts=(asked("B"),))).result.text == "a cat"


_WRITES_FOR_EVER = """
import sys
from pathlib import Path
from seatrial.recording.blobs import Blobs
from seatrial.recording.cassette import Cassette
from seatrial.recording.folder import Folder
folder = Folder(Path(sys.argv[1]), ["a case"])
folder.create()
number = 0
while True:
    number += 1
    lines = tuple(f"{number} " * 20 for _ in range(400))
    folder.write(Cassette("a case", instructions=(lines,)), Blobs(folder.path))
    if number == 3:
        print("going", flush=True)
"""


@pytest.mark.parametrize("round_number", range(5))
def test_killed_at_any_moment_a_whole_file_is_left(tmp_path: Path, round_number: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _WRITES_FOR_EVER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "going\n"
        os.kill(writer.pid, signal.SIGKILL)
    cassette = Folder(tmp_path, [CASE]).read(CASE)
    assert isinstance(cassette, Cassette)
    lines = cassette.instructions[0]
    assert len(lines) == 400
    assert len(set(lines)) == 1


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"{", "cannot be read"), (b'{"case": "a case", "format": 99}', "the format 99"), (b"\xff\xfe", "cannot be read")],
)
async def test_a_damaged_file_is_told_and_fails_its_case_alone(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "a-case.json").write_bytes(content)
    second = await replayed(tmp_path)
    assert second.missing is not None
    assert told in second.missing
    assert "a-case.json" in second.missing


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (("trials", 0, "calls", 0, "instructions"), 99, "names instructions that are not there"),
        (("trials", 0, "calls", 0, "instructions"), -1, ">= 0"),
        (("trials", 0, "calls", 0, "tools"), [-1], ">= 0"),
        (("trials", 0, "calls", 0, "tools"), [7], "names a tool that is not there"),
        (("trials", 0, "calls", 0, "number"), 2, "two calls have the number 2"),
        (("trials", 0, "calls", 0, "number"), "1", "Expected `int`"),
        (("trials", 0, "calls", 0, "reply"), None, "call 1 has no answer"),
        (("trials", 0, "calls", 1, "output"), None, "call 2 has no answer"),
        (("trials", 0, "calls", 2, "continues"), 2, "goes on from 2, which is no request before it"),
        (("trials", 0, "calls", 2, "continues"), 77, "goes on from 77"),
        (("trials", 0, "calls"), 5, "Expected `array`"),
        (("trials", 0, "repeat"), 0, ">= 1"),
        (("instructions",), 99, "Expected `array`"),
        (("tools",), [], "names a tool that is not there"),
        (("case",), None, "Expected `str`"),
    ],
)
async def test_a_file_that_no_recorder_wrote_fails_its_case_alone(
    tmp_path: Path, place: tuple[Any, ...], value: Any, told: str
) -> None:
    await recorded(tmp_path, scripted(calls("add", a=1, b=2), says("3")), [tool("add")], system_prompt="Add.")
    path = tmp_path / "a-case.json"
    document = json.loads(path.read_text())
    block = document
    for key in place[:-1]:
        block = block[key]
    block[place[-1]] = value
    path.write_text(json.dumps(document))
    second = await replayed(tmp_path, [tool("add")], system_prompt="Add.")
    assert second.missing is not None
    assert told in second.missing
    assert "a-case.json cannot be read" in second.missing


async def test_a_picture_that_is_gone_fails_its_case_alone(tmp_path: Path) -> None:
    picture = ImageContent(base64.b64encode(os.urandom(600)).decode(), "image/png")
    look = tool("look", lambda _arguments, _context: ToolOutput((picture,)))
    await recorded(tmp_path, scripted(calls("look"), says("seen")), [look])
    for blob in (tmp_path / "blobs").iterdir():
        blob.unlink()
    second = await replayed(tmp_path, [look])
    assert second.missing is not None
    assert "cannot be read" in second.missing


@pytest.mark.parametrize("content", [b'{"case": "a case", "tri', b"", b'{"case": "a case", "trials": 5}'])
async def test_a_broken_file_is_recorded_over_where_what_is_missing_is_recorded(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a-case.json").write_bytes(content)
    deck = Deck(tmp_path, [CASE], is_recording=True, is_replaying=True)
    first = await on_tape(deck, lambda: scripted(says("hello")))
    assert (first.missing, first.result.text, deck.unkept) == (None, "hello", None)
    assert (await replayed(tmp_path)).missing is None


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["agent.yaml"], "agent.yaml"),
        (["package.json"], "package.json"),
        (["_models.json", "package.json"], "package.json"),
        (["a-case.json", "package.json"], "package.json"),
        (["a", "b", "c", "d"], "a, b, c and others"),
    ],
)
def test_a_folder_with_files_of_others_is_left_alone(tmp_path: Path, names: list[str], told: str) -> None:
    for name in names:
        (tmp_path / name).write_text('{"case": "a case"}' if name == "a-case.json" else "{}")
    before = everything_in(tmp_path)
    with pytest.raises(RunError, match="holds what is no recording") as caught:
        Deck(tmp_path, [CASE], is_recording=True)
    assert f"({told})" in caught.value.message
    assert everything_in(tmp_path) == before


@pytest.mark.parametrize("names", [[], [".gitignore", "README.md"], ["a-case.json"], ["_models.json"], ["old.json"]])
async def test_a_folder_of_recordings_or_none_is_recorded_into(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).write_text('{"case": "a ca' if name.endswith("e.json") else "")
    (tmp_path / "_models.json").unlink(missing_ok=True)
    await recorded(tmp_path, scripted(says("hello")))
    assert (await replayed(tmp_path)).missing is None


async def test_a_full_disk_costs_the_recording_and_not_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    deck = Deck(tmp_path, [CASE], is_recording=True)
    monkeypatch.setattr("seatrial.recording.folder.write_atomically", no_room)
    first = await on_tape(deck, lambda: scripted(says("hello")))
    assert first.result.text == "hello"
    assert deck.unkept is not None
    assert "No space left on device (1 trial not recorded)" in deck.unkept


async def test_the_folder_is_that_of_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    deck = Deck(Path("tape"), [CASE], is_recording=True)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    await on_tape(deck, lambda: scripted(says("hello")))
    assert (tmp_path / "tape" / "a-case.json").exists()


async def test_a_file_nested_too_deeply_to_read_fails_its_case_alone(tmp_path: Path) -> None:
    (tmp_path / "a-case.json").write_bytes(b'{"case": "a case", "trials": ' + b"[" * 100_000)
    second = await replayed(tmp_path)
    assert second.missing is not None
    assert "a-case.json cannot be read" in second.missing


def test_a_folder_that_is_not_there_is_told_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="there is no recording"):
        Deck(tmp_path / "none", [CASE], is_replaying=True)


async def test_no_secret_is_written_and_the_replay_works_with_and_without_it(tmp_path: Path) -> None:
    secret = 'k"ey\\-é-0123456789'
    masker = Masker({secret})
    masking = Masking(masker.text, masker.record)

    def tell(_arguments: dict[str, Any], context: ToolContext) -> ToolOutput:
        context.update(f"using {secret}")
        return ToolOutput.of_text(f"the key is {secret}", details={"headers": {secret: secret}})

    call = ToolCall("c1", "tell", {"key": secret}, arguments_text=json.dumps({"key": secret}))
    tools = [SimpleTool(ToolSpec("tell", f"Tells {secret}.", {"type": "object"}), tell)]
    prompt = f"say {secret}"
    instructions = f"Never say\n{secret}."
    deck = Deck(tmp_path, [CASE], is_recording=True, masking=masking)
    script = scripted(calls_many(call), says(f"it is {secret}", reasoning=secret))
    await on_tape(deck, lambda: script, tools, prompts=(prompt,), system_prompt=instructions)
    written = everything_in(tmp_path)
    for form in (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]):
        assert form.encode() not in written

    deck = Deck(tmp_path, [CASE], is_replaying=True, masking=masking)
    second = await on_tape(deck, never, tools, prompts=(prompt,), system_prompt=instructions)
    assert second.missing is None
    assert second.result.text == "it is [secret]"

    blank = [SimpleTool(ToolSpec("tell", "Tells [secret].", {"type": "object"}), tell)]
    third = await on_tape(
        Deck(tmp_path, [CASE], is_replaying=True), never, blank, prompts=("say [secret]",),
        system_prompt="Never say\n[secret].",
    )  # fmt: skip
    assert third.missing is None
    assert third.result.text == second.result.text


async def test_what_is_known_of_a_model_is_known_in_the_replay(tmp_path: Path) -> None:
    info = ModelInfo("m", "m", "scripted", cost=ModelCost(input=1.0, output=2.0), context_window=1000)
    first = await recorded(tmp_path, scripted(says("hi", usage=Usage(1000, 1000)), info=info))
    second = await replayed(tmp_path)
    assert first.result.cost_usd == pytest.approx(0.003)
    assert second.result.cost_usd == first.result.cost_usd
    assert second.story == first.story


async def test_tools_with_times_and_numbers_of_any_size_are_kept(tmp_path: Path) -> None:
    arguments = {"n": 2**70, "x": 1e300}
    schema = {"n": INTEGER, "x": {"type": "number"}}
    first = await recorded(tmp_path, scripted(calls("look", **arguments), "ok"), [tool("look", properties=schema)])
    second = await replayed(tmp_path, [tool("look", properties=schema)])
    assert second.story == first.story


def test_a_pipe_in_the_place_of_a_recording_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    folder = Folder(tmp_path, ["a case"])
    os.mkfifo(folder.path_of("a case"))
    with pytest.raises(RunError, match="is no regular file"):
        folder.read("a case")
    assert list(folder.files()) == []
