"""Translates between the acceptance cases and the product's public API: names, and nothing else."""

from __future__ import annotations

import asyncio
import functools
import inspect
import itertools
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from seatrial.assembly.check import check
from seatrial.assembly.tools import build_tools
from seatrial.config.diagnostics import Diagnostic
from seatrial.config.loaded import LoadedAgent
from seatrial.config.loader import load_agent
from seatrial.config.tools import FunctionToolConfig
from seatrial.config.vectorstore import VectorstoreToolConfig
from seatrial.core.agent import Agent, RunResult
from seatrial.core.content import ImageContent
from seatrial.core.history import repair_history
from seatrial.core.json_form import read_messages
from seatrial.core.messages import AssistantMessage, ToolResultMessage
from seatrial.core.model import ModelRequest, ToolSpec
from seatrial.core.schema import problems_of
from seatrial.core.tool import Tool
from seatrial.core.usage import cost_of
from seatrial.documents.attachments import blocks_of_file
from seatrial.documents.base import ReadOptions
from seatrial.documents.catalog import read_document
from seatrial.documents.passages import FieldSettings, passages_of
from seatrial.errors import SeatrialError
from seatrial.formats.anthropic_stream import anthropic_stream
from seatrial.formats.ollama_chat import ollama_stream
from seatrial.formats.openai_chat_stream import chat_stream
from seatrial.formats.openai_responses_stream import responses_stream
from seatrial.formats.reading import Reading
from seatrial.formats.tolerant import parse_response
from seatrial.metrics.base import Evidence
from seatrial.metrics.trajectory.expected_tools import ExpectedTools
from seatrial.metrics.verdict import decide, shown_pair
from seatrial.providers.base import ProviderOptions
from seatrial.providers.catalog import PROVIDERS
from seatrial.providers.scripted import calls, calls_many, says, scripted
from seatrial.tools.function import FunctionTool
from seatrial.tools.mcp.launch import launch_of
from seatrial.tools.mcp.servers import McpEntry, McpServers
from seatrial.tools.mcp.settings import McpSettings
from seatrial.tools.user_module import load_function, load_module

Plain = dict[str, Any]
STUB = Path(__file__).parent / "cases" / "_lib" / "stub_model.py"
SEATRIAL = [sys.executable, "-m", "seatrial"]


def adapter(case: Plain, entry: Plain, case_dir: str) -> Plain:
    """The product's answer to one entry, in the vocabulary of the cases' README."""
    folder = Path(case_dir)
    with environment(case.get("env", {}), folder / case.get("cwd", ".")):
        return OPERATIONS[case["op"]](case, entry, folder)


@contextmanager
def environment(variables: Mapping[str, str], folder: Path) -> Iterator[None]:
    """Variables and working directory for the time of the block."""
    before, old_folder = dict(os.environ), Path.cwd()
    os.environ.update(variables)
    os.chdir(folder)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        os.chdir(old_folder)


def read(path: Path) -> Any:
    return msgspec.json.decode(path.read_bytes())


# Provider replies


def reply(message: AssistantMessage) -> Plain:
    usage = message.usage
    counts = {
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "cache_read": usage.cache_read_tokens,
        "cache_write": usage.cache_write_tokens,
    }
    failed = message.stop_reason in ("error", "incomplete")
    return {
        "ok": not failed,
        "text": message.text,
        "reasoning": [{"text": block.text, "signature": block.signature} for block in message.reasoning],
        "tool_calls": [
            {"id": call.id, "name": call.name, "arguments": call.arguments, "error": call.arguments_error}
            for call in message.tool_calls
        ],
        "stop_reason": message.stop_reason,
        "refusal": message.error_message or message.text if message.stop_reason == "refusal" else None,
        "error": {"message": message.error_message, "retryable": message.can_retry} if failed else None,
        "usage": None if all(count is None for count in counts.values()) else counts,
        "cost_usd": cost_of(usage, None) if message.cost_usd is None else message.cost_usd,
        "warnings": list(message.warnings),
    }


def reading_of(case: Plain) -> Reading:
    return Reading(tool_names=tuple(tool["name"] for tool in case.get("offered_tools", ())))


def one_reply(case: Plain, entry: Plain, folder: Path) -> Plain:
    return reply(parse_response((folder / entry["input"]).read_bytes(), reading_of(case)))


def one_stream(case: Plain, entry: Plain, folder: Path) -> Plain:
    data = (folder / entry["input"]).read_bytes()
    cuts: dict[str, list[int]] = {"whole": [], "each_byte": list(range(1, len(data)))}
    results = []
    for split in case.get("splits", ["whole"]):
        stream = STREAMS[case["format"]](reading_of(case))
        places = [0, *(cuts[split] if isinstance(split, str) else split), len(data)]
        for start, stop in itertools.pairwise(places):
            stream.feed(data[start:stop])
        results.append(reply(stream.end()))
    for other in results[1:]:
        assert other == results[0], "another cut of the bytes gave another reply"
    return results[0]


def next_request(case: Plain, entry: Plain, folder: Path) -> Plain:
    target = {**case, **entry.get("options", {})}
    messages = repair_history(read_messages(read(folder / entry["input"])))
    provider = target.get("provider", PROVIDER_OF_FORMAT[case["format"]])
    compat = {"api": "responses"} if case["format"] == "openai_responses" else {}
    model = PROVIDERS.load(provider)(
        ProviderOptions(
            name=target.get("model", "stub-model"), endpoint="http://127.0.0.1", api_key="unused", compat=compat
        )
    )
    return {"ok": True, "request": msgspec.json.decode(model.request_body(ModelRequest("", messages)))}


PROVIDER_OF_FORMAT = {
    "openai_chat": "openai_compatible",
    "openai_responses": "openai",
    "anthropic_messages": "anthropic",
    "ollama_chat": "ollama",
}
STREAMS: dict[str, Callable[[Reading], Any]] = {
    "openai_chat": chat_stream,
    "openai_responses": responses_stream,
    "anthropic_messages": anthropic_stream,
    "ollama_chat": ollama_stream,
}


# Tools


def tools_in(path: Path, names: list[str] | None = None) -> tuple[list[FunctionTool], list[str]]:
    module = load_module(path)
    own = [
        name for name, item in vars(module).items() if inspect.isfunction(item) and item.__module__ == module.__name__
    ]
    tools, errors = [], []
    for name in names or [name for name in own if not name.startswith("_")]:
        try:
            tools.append(FunctionTool.of(load_function(path, name)))
        except SeatrialError as error:
            errors.append(error.message)
    return tools, errors


def result(message: ToolResultMessage) -> Plain:
    return {"tool_call_id": message.tool_call_id, "text": message.text, "is_error": message.is_error}


def results_of(run: RunResult) -> list[Plain]:
    return [result(message) for message in run.transcript.tool_results]


def caller(tools: list[Any]) -> Callable[[str, Plain], Plain]:
    def call(name: str, arguments: Plain) -> Plain:
        agent = Agent(scripted(calls(name, **arguments), says("done")), tools=tools)
        return results_of(agent.run_sync("go"))[0]

    return call


def run_calls(case: Plain, entry: Plain, folder: Path) -> Plain:
    module = load_module(folder / case["tools"])
    for name, value in case.get("context", {}).items():
        getattr(module, name).set(value)
    tools, _ = tools_in(folder / case["tools"])
    message = parse_response(
        (folder / entry["input"]).read_bytes(), Reading(tool_names=tuple(t.spec.name for t in tools))
    )
    agent = Agent(scripted(message, says("done")), tools=tools, tool_execution=case.get("mode", "parallel"))

    async def go() -> tuple[RunResult, float, float]:
        gaps: list[float] = []
        ticking = asyncio.create_task(tick(gaps))
        started = time.perf_counter()
        done = await agent.run("go")
        seconds = time.perf_counter() - started
        ticking.cancel()
        return done, seconds, max(gaps, default=0.0)

    with environment({}, folder):
        done, seconds, gap = asyncio.run(go())
    return {"ok": True, "results": results_of(done), "seconds": seconds, "loop_max_gap": gap, "text": done.text}


async def tick(gaps: list[float]) -> None:
    while True:
        before = time.perf_counter()
        await asyncio.sleep(0.01)
        gaps.append(time.perf_counter() - before)


def run_script(case: Plain, entry: Plain, folder: Path) -> Plain:
    tools, _ = tools_in(folder / case["tools"])
    replies = [parse_response(item) for item in read(folder / entry["input"])]
    done = Agent(scripted(*replies), tools=tools).run_sync("go")
    ok = done.stop_reason == "stop"
    return {"ok": ok, "text": done.text, "tool_results": results_of(done), "results": results_of(done)}


# MCP servers


def servers_of(entry: Plain, folder: Path) -> McpServers:
    inputs = entry["input"] if isinstance(entry["input"], list) else [entry["input"]]
    entries = []
    for name in inputs:
        launch = launch_of(name, folder)
        settings = McpSettings(
            name=Path(name).stem,
            command=launch.command,
            args=launch.args,
            url=launch.url,
            cwd=folder,
            connect_timeout_s=entry.get("timeout_s", 60),
        )
        entries.append(McpEntry(settings))
    return McpServers(entries)


async def mcp_calls_of(servers: McpServers, wanted: list[Plain]) -> Plain:
    try:
        await servers.start()
        tools = [tool for source in servers.sources for tool in await source.current_tools()]
        results = []
        for call in wanted:
            for tool in tools:
                tool.timeout_s = call.get("timeout_s")
            agent = Agent(scripted(calls(call["name"], **call.get("arguments", {})), says("done")), tools=tools)
            results += results_of(await agent.run("go"))
    except SeatrialError as error:
        return {"ok": False, "error": error.message}
    finally:
        await servers.stop()
    shown = [{"name": tool.spec.name, "label": tool.label, **described(tool.spec)} for tool in tools]
    return {"ok": True, "tools": shown, "results": results, "error": None}


def mcp_calls(_case: Plain, entry: Plain, folder: Path) -> Plain:
    started = time.perf_counter()
    told = asyncio.run(mcp_calls_of(servers_of(entry, folder), entry.get("calls", [])))
    return {**told, "seconds": time.perf_counter() - started, "children_left": len(processes_in(folder))}


def processes_in(folder: Path) -> list[str]:
    """The processes whose working directory is the folder, but for this one."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.name != str(os.getpid()) and (process / "cwd").readlink() == folder.resolve():
                found.append(process.name)
        except OSError:
            continue
    return found


def tool_schema(_case: Plain, entry: Plain, folder: Path) -> Plain:
    names = entry.get("functions")
    tools, errors = tools_in(folder / entry["input"], names if isinstance(names, list) else None)
    specs = {tool.spec.name: tool.spec for tool in tools}
    return {
        "ok": not errors,
        "schemas": {name: described(spec) for name, spec in specs.items()},
        "load_errors": errors,
        "schema_ok": lambda name, instance: not problems_of(specs[name].parameters, instance),
        "call": caller(list(tools)),
    }


def described(spec: ToolSpec) -> Plain:
    return {"description": spec.description, "parameters": spec.parameters}


def load_and_call(_case: Plain, entry: Plain, folder: Path) -> Plain:
    loaded = load_agent(folder / entry["input"])
    found = findings(loaded)
    tools: list[Tool] = []
    if loaded.config is not None:
        try:
            tools = build_tools(loaded)
        except SeatrialError as error:
            found["ok"] = False
            found["errors"] = [finding(item) for item in getattr(error, "diagnostics", ())]
    return {**found, "call": caller(tools), "special": python_after}


def python_after(check: Plain) -> str | None:
    *first, last = check["python_after"].split("; ")
    names: Plain = {}
    exec("; ".join(first), names)  # noqa: S102 - the case asks what Python sees now
    value = eval(last, names)  # noqa: S307
    return None if value == check["equals"] else f"{check['python_after']} gave {value!r}"


# The agent file


def finding(item: Diagnostic) -> Plain:
    return {"line": item.line, "message": f"{item.message} {item.hint or ''}".strip(), "file": str(item.file)}


def findings(loaded: LoadedAgent) -> Plain:
    told = (*loaded.diagnostics, *check(loaded))
    errors = [finding(item) for item in told if item.severity == "error"]
    warnings = [finding(item) for item in told if item.severity == "warning"]
    return {"ok": not errors, "errors": errors, "warnings": warnings, "problems": [*errors, *warnings]}


def load(path: Path) -> Plain:
    loaded = load_agent(path)
    told: Plain = findings(loaded)
    if loaded.config is None:
        return told
    config = loaded.config
    told["config"] = config.model_dump(mode="json")
    told["resolved"] = {
        "instructions_text": loaded.instructions_text,
        "sources": [str(loaded.path_to(t.source)) for t in config.tools if isinstance(t, VectorstoreToolConfig)],
        "function_files": [str(loaded.path_to(t.file)) for t in config.tools if isinstance(t, FunctionToolConfig)],
        "test_files": [str(loaded.path_to(f.path)) for case in config.test_cases for f in case.files if f.path],
    }
    return told


def loaded_agent(case: Plain, entry: Plain, folder: Path) -> Plain:
    path = folder / case.get("cwd", ".") / entry["input"]
    if not case.get("own_process"):
        return load(path)
    code = "import pathlib, runpy, sys; me = runpy.run_path(sys.argv[1]); me['hand_over'](pathlib.Path(sys.argv[2]))"
    done = subprocess.run([sys.executable, "-c", code, __file__, path], capture_output=True, check=True)
    return msgspec.json.decode(done.stdout, type=dict[str, Any])


def hand_over(path: Path) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(load(path)))


# Documents


def document(_case: Plain, entry: Plain, folder: Path) -> Plain:
    options = entry["options"]
    wanted = ReadOptions(pages=options.get("pages"), sheet=options.get("sheet"), cell_range=options.get("range"))
    path = folder / entry["input"]
    try:
        if options["type"] == "image":
            return {"ok": True, "image": image(path, wanted, entry["input"]), "problems": []}
        made = read_document(path, file_type=options["type"], source=entry["input"], options=wanted)
    except SeatrialError as error:
        said = f"{error.message} {error.hint or ''}"
        return {"ok": False, "error": said, "problems": [said], "text": ""}
    problems = [str(problem) for problem in made.problems]
    rows = None if made.rows is None else [list(row) for row in made.rows]
    return {"ok": True, "text": made.text, "rows": rows, "problems": problems, "error": None}


def image(path: Path, wanted: ReadOptions, source: str) -> Plain:
    blocks = blocks_of_file(path, file_type="image", source=source, description=None, options=wanted)
    (block,) = [item for item in blocks if isinstance(item, ImageContent)]
    width, height, top_right = PICTURE(block.data)
    return {
        "width": width,
        "height": height,
        "media_type": block.mime_type,
        "base64_len": len(block.data),
        "pixel_top_right": top_right,
    }


def PICTURE(data: str) -> tuple[int, int, list[int]]:  # noqa: N802
    import base64
    import io

    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(data))) as picture:
        shown = picture.convert("RGB")
        return shown.width, shown.height, list(shown.getpixel((shown.width - 1, 0)))  # type: ignore[arg-type]


def records(_case: Plain, entry: Plain, folder: Path) -> Plain:
    options = entry["options"]
    fields = options.get("vector_field") or ()
    settings = FieldSettings(
        vector_fields=(fields,) if isinstance(fields, str) else tuple(fields),
        meta_fields=tuple(options["meta_fields"]) if "meta_fields" in options else None,
        record_prefix=options.get("record_prefix") or "",
        meta_prefix=options.get("meta_prefix") or "",
    )
    wanted = ReadOptions(record_path=options.get("record_path"))
    try:
        made = read_document(folder / entry["input"], source=entry["input"], options=wanted)
        passages = passages_of(made, settings)
    except SeatrialError as error:
        return {"ok": False, "error": error.message, "problems": [error.message], "records": []}
    found = [{"text": passage.text, "metadata": dict(passage.metadata)} for passage in passages]
    return {"ok": True, "records": found, "problems": [str(problem) for problem in made.problems]}


# Whole runs


@contextmanager
def stub(case: Plain, folder: Path) -> Iterator[Path]:
    """The scripted model server for the time of the block; gives its log."""
    log = folder / "stub.jsonl"
    command = [sys.executable, STUB, folder / case["script"], "0", log]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = process.stdout.readline().split()[-1]
        os.environ["STUB_URL"] = f"http://127.0.0.1:{port}/v1"
        try:
            yield log
        finally:
            process.terminate()


def requests_in(log: Path) -> list[Plain]:
    return [msgspec.json.decode(line) for line in log.read_bytes().splitlines()] if log.exists() else []


def run_tests(case: Plain, entry: Plain, folder: Path) -> Plain:
    with stub(case, folder) as log:
        checked = findings(load_agent(folder / entry["input"]))
        if not checked["ok"]:
            return checked
        files = {kind: folder / f"report.{kind}" for kind in ("json", "junit", "markdown", "html")}
        options: list[str | Path] = ["--json-file", files["json"]]
        flags = {"junit": "--junit", "markdown": "--md", "html": "--html"}
        for kind in entry.get("reports", ()):
            options += [flags[kind], files[kind]] if kind in flags else []
        if "concurrency" in entry:
            options += ["--concurrency", str(entry["concurrency"])]
        done = subprocess.run(
            [*SEATRIAL, "test", folder / entry["input"], *options], capture_output=True, text=True, check=False
        )
        return {
            "ok": True,
            **report_of(files["json"]),
            "exit_code": done.returncode,
            "stdout_stderr": done.stdout + done.stderr,
            "raised": "Traceback" in done.stderr,
            "report": lambda kind: files[kind].read_text(encoding="utf-8"),
            "special": functools.partial(markdown_rows, files["markdown"]),
            "stub_log": requests_in(log),
        }


def report_of(path: Path) -> Plain:
    report = read(path)
    tests = [
        {
            "name": test["name"],
            "output": test["output"],
            "status": test["outcome"],
            "error": test.get("error"),
            "metrics": {
                metric["metric"]: {"score": metric["score"], "status": metric["outcome"]} for metric in test["metrics"]
            },
        }
        for test in report["tests"]
    ]
    return {"tests": tests, "summary": report["summary"], "tests_in_report": len(tests)}


def markdown_rows(path: Path, check: Plain) -> str | None:
    lines = path.read_text(encoding="utf-8").splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("|"))
    table = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        table.append(line)
    widths = {line.replace("\\|", "").count("|") for line in table}
    least = int(check["rows_of_first_table"].removeprefix(">="))
    return None if len(widths) == 1 and len(table) - 2 >= least else f"table of {len(table) - 2} rows, {widths} columns"


def command(case: Plain, entry: Plain, folder: Path) -> Plain:
    report = folder / "report.json"
    with stub(case, folder) as log:
        before = len(requests_in(log))
        line: list[str | Path] = [*SEATRIAL, "test", folder / entry["input"], "--json-file", report]
        if "concurrency" in entry:
            line += ["--concurrency", str(entry["concurrency"])]
        if entry["run"] == "resume":
            line += ["--resume"]
        with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            sent_at = interrupt(process, entry, log)
            stdout, stderr = process.communicate(timeout=60)
        ended_at = time.perf_counter()
        told: Plain = {
            "exit_code": process.returncode,
            "stdout": stdout,
            "stderr": stderr,
            "stdout_stderr": stdout + stderr,
            "seconds_after_signal": ended_at - sent_at if sent_at is not None else None,
            "results_on_disk": stored(folder, entry),
            "stub_log": requests_in(log)[before:],
        }
    return {**told, **(report_of(report) if report.exists() else {})}


def interrupt(process: subprocess.Popen[str], entry: Plain, log: Path) -> float | None:
    if "signal" not in entry:
        return None
    deadline = time.perf_counter() + 30
    while len(requests_in(log)) < entry["after_requests"] - 1 and time.perf_counter() < deadline:
        time.sleep(0.02)
    time.sleep(0.2)  # the next request is under way
    process.send_signal(getattr(signal, entry["signal"]))
    return time.perf_counter()


def stored(folder: Path, entry: Plain) -> int:
    done = subprocess.run(
        [*SEATRIAL, "runs", "show", "--agent", folder / entry["input"], "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return 0
    tests = msgspec.json.decode(done.stdout)["tests"]
    return sum(test["outcome"] != "not_run" for test in tests)


# Tables


def look_up(rows: list[Plain], check: Plain) -> str | None:
    if "table_rows_where" in check:
        left, _, right = check["check"].partition(" != ")
        wrong = [row for row in rows if row.get(check["table_rows_where"]) and row[left] == row[right]]
        return f"{check['check']} does not hold in {wrong}" if wrong else None
    column = check["table_column"]
    if "equals_column" in check:
        wrong = [row for row in rows if row[column] != row[check["equals_column"]]]
    else:
        wanted = check["approx_column"]
        wrong = [row for row in rows if wanted in row["given"] and not close(row[column], row["given"][wanted])]
    return f"{column} differs in {wrong}" if wrong else None


def close(value: float | None, wanted: float) -> bool:
    return value is not None and math.isclose(value, wanted, abs_tol=1e-9)


def decided(_case: Plain, entry: Plain, folder: Path) -> Plain:
    rows = []
    for row in read(folder / entry["input"]):
        score = math.nan if row["score"] == "NaN" else row["score"]
        made = decide("metric", score, row["threshold"])
        shown = shown_pair(made.value, made.threshold) if None not in (made.value, made.threshold) else (None, None)
        rows.append(
            {**row, "given": row, "verdict": made.outcome, "shown_score": shown[0], "shown_threshold": shown[1]}
        )
    return {"ok": True, "special": functools.partial(look_up, rows)}


def matched(_case: Plain, entry: Plain, folder: Path) -> Plain:
    rows = []
    for row in read(folder / entry["input"]):
        metric = ExpectedTools(expected=row["expected"], order="in_order" if row.get("ordered") else "any")
        made = calls_many(*((name, row.get("arguments", {}).get(name, {})) for name in row["called"]))
        measured = asyncio.run(metric.measure(Evidence("", "", messages=(made,))))
        outcome = decide("expected_tools", measured, 1.0).outcome
        verdict = "not_checked" if outcome == "skipped" else outcome
        rows.append({**row, "given": row, "verdict": verdict, "score": measured.value})
    return {"ok": True, "special": functools.partial(look_up, rows)}


OPERATIONS: dict[str, Callable[[Plain, Plain, Path], Plain]] = {
    "parse_response": one_reply,
    "parse_and_validate": one_reply,
    "parse_stream": one_stream,
    "next_request": next_request,
    "run_calls": run_calls,
    "run_script": run_script,
    "tool_schema": tool_schema,
    "call_tools": tool_schema,
    "load_and_call": load_and_call,
    "mcp_list": mcp_calls,
    "mcp_calls": mcp_calls,
    "load_agent": loaded_agent,
    "read_document": document,
    "load_records": records,
    "run_tests": run_tests,
    "cli": command,
    "decide": decided,
    "match_tools": matched,
}
