from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from seatrial.config.cases import CaseConfig
from seatrial.config.diagnostics import Place
from seatrial.config.loader import load_agent
from seatrial.config.promptfoo.importing import Imported, import_promptfoo

HEAD = "prompts: ['{{q}}']\nproviders: [openai:gpt-5-mini]\n"


def imported(folder: Path, text: str) -> Imported:
    path = folder / "promptfooconfig.yaml"
    path.write_text(text, encoding="utf-8")
    found = import_promptfoo(path, folder / "agent.yaml")
    for target, written in found.texts.items():
        target.write_text(written, encoding="utf-8")
    return found


def cases(folder: Path, text: str) -> tuple[CaseConfig, ...]:
    imported(folder, text)
    return load_agent(folder / "agent.yaml").require().test_cases


def checks(folder: Path, *asserts: str) -> list[dict[str, Any]]:
    lines = "".join(f"      - {item}\n" for item in asserts)
    (case,) = cases(folder, f"{HEAD}tests:\n  - vars: {{q: hi}}\n    assert:\n{lines}")
    found = [check.model_dump(exclude_defaults=True) for check in case.checks or ()]
    metrics = case.evaluations or ()
    return found + [m.model_dump(exclude_defaults=True) for m in metrics if not isinstance(m, str)]


@pytest.mark.parametrize(
    ("written", "ours"),
    [
        ("{type: equals, value: '4'}", {"equals": "4"}),
        ("{type: equals, value: {a: 1}}", {"equals": {"a": 1}, "json_path": "$"}),
        ("{type: contains, value: 0}", {"contains": ("0",)}),
        ("{type: icontains, value: Été}", {"contains": ("Été",), "ignore_case": True}),
        ("{type: contains-all, value: [a, 'b, c']}", {"contains": ("a", "b, c")}),
        ("{type: contains-any, value: [a, b]}", {"contains": ("a", "b"), "any_of": True}),
        ("{type: icontains-any, value: [a, b]}", {"contains": ("a", "b"), "any_of": True, "ignore_case": True}),
        ("{type: icontains-all, value: [a, b]}", {"contains": ("a", "b"), "ignore_case": True}),
        ("{type: starts-with, value: 'a.b'}", {"regex": r"\Aa\.b"}),
        (r"{type: regex, value: '(?<n>\d+)'}", {"regex": r"(?P<n>\d+)"}),
        ("{type: regex, value: '/ab+/i'}", {"regex": "ab+", "ignore_case": True}),
        ("{type: is-json}", {"json_schema": {}}),
        ("{type: is-json, value: {type: object}}", {"json_schema": {"type": "object"}}),
        ('{type: contains-json, value: \'{"type": "array"}\'}', {"json_schema": {"type": "array"}}),
        ("{type: cost, threshold: 0.01}", {"max_cost_usd": 0.01}),
        ("{type: latency, threshold: 500}", {"max_latency_ms": 500}),
        ("{type: not-contains, value: a}", {"contains": ("a",), "negated": True}),
        ("{type: not-is-json}", {"json_schema": {}, "negated": True}),
        (
            "{type: contains, value: a, weight: 2, metric: words}",
            {"contains": ("a",), "weight": 2, "group": "words"},
        ),
        ("{type: rouge-n, value: a}", {"metric": "rouge1", "threshold": 0.75}),
        ("{type: levenshtein, value: a, threshold: 3}", {"metric": "levenshtein", "threshold": 3}),
        ("{type: similar, value: a, threshold: 0.8}", {"metric": "similarity", "threshold": 4.2}),
        ("{type: bleu, value: a, weight: 0}", {"metric": "bleu"}),
        ("{type: meteor, value: a}", {"metric": "meteor", "threshold": 0.5}),
        ("{type: gleu, value: a}", {"metric": "gleu", "threshold": 0.5}),
        ("{type: answer-relevance, threshold: 0.7}", {"metric": "answer_relevancy", "threshold": 0.7}),
        (
            "{type: llm-rubric, value: 'answers {{q}}'}",
            {
                "metric": "geval",
                "threshold": 0.5,
                "criteria": "answers hi",
                "evaluation_params": ("input", "actual_output"),
            },
        ),
        ("{type: assert-set, assert: [{type: contains, value: a}], metric: g}", {"contains": ("a",), "group": "g"}),
    ],
)
def test_an_assertion_becomes_a_check_or_a_metric(tmp_path: Path, written: str, ours: dict[str, Any]) -> None:
    assert checks(tmp_path, written) == [ours]


@pytest.mark.parametrize(
    "written",
    [
        "{type: javascript, value: 'output.length > 1'}",
        "{type: python, value: 'file://grade.py:good'}",
        "{type: is-refusal}",
        "{type: is-valid-openai-tools-call}",
        "{type: not-llm-rubric, value: rude}",
        "{type: regex, value: '(?<!a+)b'}",
        "{type: contains, value: ''}",
        "{type: cost}",
        "{type: invented, value: 1}",
        "{type: assert-set, threshold: 0.5, assert: [{type: contains, value: a}]}",
        "{type: contains, value: '{% if x %}a{% endif %}'}",
        "{type: bleu, value: a, threshold: 50}",
    ],
)
def test_what_cannot_be_carried_over_is_told_with_its_place_and_beside_the_case(tmp_path: Path, written: str) -> None:
    assert checks(tmp_path, "{type: contains, value: ok}", written) == [{"contains": ("ok",)}]
    found = import_promptfoo(tmp_path / "promptfooconfig.yaml", tmp_path / "agent.yaml")
    (note,) = [note for note in found.notes if note.kind == "left out"]
    assert note.place.line == 7
    assert note.instead
    lines = found.texts[tmp_path / "agent.yaml"].splitlines()
    comment = next(index for index, line in enumerate(lines) if line.startswith("  # promptfooconfig.yaml:7: left out"))
    assert comment < next(index for index, line in enumerate(lines) if line.startswith("  - name:"))


def test_a_second_text_to_compare_with_is_told(tmp_path: Path) -> None:
    assert len(checks(tmp_path, "{type: bleu, value: a}", "{type: gleu, value: b}", "{type: gleu, value: a}")) == 2


def test_lists_of_values_multiply_and_names_stay_unique(tmp_path: Path) -> None:
    text = "prompts: ['{{a}} {{b | upper}}']\nproviders: openai:gpt-5-mini\ntests:\n"
    text += "  - {description: Pair, vars: {a: [x, y], b: [1, z]}}\n  - {vars: {a: x, b: y}}\n"
    found = cases(tmp_path, text)
    assert [case.input for case in found] == ["x 1", "x Z", "y 1", "y Z", "x Y"]
    assert [case.name for case in found] == ["Pair", "Pair 2", "Pair 3", "Pair 4", "case 1"]
    kept = "  - {vars: {a: [x, y]}, options: {disableVarExpansion: true}}\n"
    assert [case.input for case in cases(tmp_path, text + kept)][-1] == '["x","y"] '


def test_system_parts_are_instructions_and_several_of_them_are_variants(tmp_path: Path) -> None:
    for name, system in (("kind", "Be kind."), ("terse", "Be terse.")):
        chat = [{"role": "system", "content": system}, {"role": "user", "content": "{{q}}"}]
        (tmp_path / f"{name}.json").write_text(json.dumps(chat))
    text = "prompts: [file://kind.json, file://terse.json]\nproviders: [openai:gpt-5-mini, ollama:chat:llama3:8b]\n"
    found = imported(tmp_path, f"{text}tests: [{{vars: {{q: hi}}}}]\n")
    config = load_agent(tmp_path / "agent.yaml").require()
    assert [note.what for note in found.notes] == []
    assert config.instructions.inline == "Be kind."
    assert [case.input for case in config.test_cases] == ["hi"]
    assert [variant.name for variant in config.variants] == [
        "openai:gpt-5-mini, kind.json",
        "openai:gpt-5-mini, terse.json",
        "ollama:chat:llama3:8b, kind.json",
        "ollama:chat:llama3:8b, terse.json",
    ]
    assert config.variants[3].model is not None
    assert config.variants[3].model.name == "llama3:8b"


def test_prompts_that_ask_otherwise_are_cases_with_a_tag(tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text("Short: {{q}}\n---\nLong: {{q}}\n")
    found = cases(tmp_path, "prompts: file://two.txt\nproviders: openai:gpt-5-mini\ntests: [{vars: {q: hi}}]\n")
    assert [(case.input, case.tags) for case in found] == [
        ("Short: hi", ("prompt=two.txt 1",)),
        ("Long: hi", ("prompt=two.txt 2",)),
    ]


def test_prompts_of_a_table_may_be_long_and_a_broken_table_is_told(tmp_path: Path) -> None:
    text = "prompts: file://p.csv\nproviders: openai:gpt-5-mini\ntests: [{vars: {q: hi}}]\n"
    (tmp_path / "p.csv").write_text(f'label,prompt\nshort,"Say, {{{{q}}}}"\nlong,{{{{q}}}}{{{{{"x" * 200_000}}}}}\n')
    assert [case.input for case in cases(tmp_path, text)] == ["Say, hi", "hi"]
    (tmp_path / "p.csv").write_text('label,prompt\na,b\n"open\n')
    (note,) = [note for note in imported(tmp_path, text).notes if note.what == "`p.csv`"]
    assert note.place == Place(tmp_path / "p.csv", 3)


def test_a_system_part_that_differs_from_case_to_case_stands_before_the_question(tmp_path: Path) -> None:
    chat = '[{"role": "system", "content": "Speak {{l}}."}, {"role": "user", "content": "{{q}}"}]'
    text = f"prompts: ['{chat}']\nproviders: openai:gpt-5-mini\ntests: [{{vars: {{q: hi, l: [a, b]}}}}]\n"
    assert [case.input for case in cases(tmp_path, text)] == ["Speak a.\n\nhi", "Speak b.\n\nhi"]
    assert [case.input for case in cases(tmp_path, text.replace("[a, b]", "a"))] == ["hi"]
    assert load_agent(tmp_path / "agent.yaml").require().instructions.inline == "Speak a."


def test_prompts_with_system_parts_of_their_own_get_a_file_each(tmp_path: Path) -> None:
    chat = '[{"role": "system", "content": "S"}, {"role": "user", "content": "Say {{q}}"}]'
    found = imported(
        tmp_path, f"prompts: ['{chat}', '{{{{q}}}}']\nproviders: openai:gpt-5-mini\ntests: [{{vars: {{q: a}}}}]\n"
    )
    assert [path.name for path in found.agents] == ["agent.yaml", "agent-2.yaml"]
    assert [load_agent(path).require().test_cases[0].input for path in found.agents] == ["Say a", "a"]


@pytest.mark.parametrize(
    ("written", "ours"),
    [
        ("openai:chat:gpt-4o", {"provider": "openai", "name": "gpt-4o"}),
        ("openai:responses:gpt-5", {"provider": "openai", "name": "gpt-5", "compat": {"api": "responses"}}),
        ("anthropic:messages:claude-x", {"provider": "anthropic", "name": "claude-x"}),
        (
            "{id: 'azure:chat:dep', config: {apiHost: x.openai.azure.com, apiVersion: 2024-10-21}}",
            {
                "provider": "azure_openai",
                "name": "dep",
                "deployment_name": "dep",
                "endpoint": "https://x.openai.azure.com",
                "api_version": "2024-10-21",
            },
        ),
        (
            "groq:llama-3.3-70b",
            {"provider": "openai_compatible", "name": "llama-3.3-70b", "endpoint": "https://api.groq.com/openai/v1"},
        ),
        (
            "{id: openrouter:a/b:free, config: {temperature: 0, max_tokens: 5, top_p: 0.5}}",
            {
                "provider": "openai_compatible",
                "name": "a/b:free",
                "endpoint": "https://openrouter.ai/api/v1",
                "temperature": 0,
                "max_tokens": 5,
                "top_p": 0.5,
            },
        ),
        (
            "{'openai:gpt-4o': {config: {max_completion_tokens: 9}}}",
            {"provider": "openai", "name": "gpt-4o", "max_tokens": 9},
        ),
    ],
)
def test_a_provider_becomes_a_model(tmp_path: Path, written: str, ours: dict[str, Any]) -> None:
    found = imported(tmp_path, f"prompts: [hi]\nproviders: [{written}]\n")
    config = load_agent(tmp_path / "agent.yaml").require()
    assert config.model.model_dump(exclude_defaults=True, exclude_none=True) == ours
    assert not [note for note in found.notes if note.kind == "left out"]


def test_a_key_never_reaches_the_new_file_or_what_is_told(tmp_path: Path) -> None:
    secret = "sk-canary-123456"
    found = imported(
        tmp_path,
        f"prompts: [hi]\nproviders: [{{id: 'openai:gpt-4o', config: {{apiKey: {secret}}}}}]\nenv: {{K: {secret}}}\n",
    )
    assert secret not in "".join(found.texts.values()) + "".join(note.text for note in found.notes)
    imported(tmp_path, "prompts: [hi]\nproviders: [{id: 'openai:gpt-4o', config: {apiKey: '{{env.MY_KEY}}'}}]\n")
    assert "api_key: '${MY_KEY:-}'" in (tmp_path / "agent.yaml").read_text()
    assert not load_agent(tmp_path / "agent.yaml", environ={}).errors


def test_csv_columns_are_variables_and_assertions(tmp_path: Path) -> None:
    header = "q,__expected1,__expected2,__description,__suffix,__metadata:tags[],__odd\n"
    row = '"Zwei\nZeilen","contains-any: a,b",similar(0.9):x,First,!,"a,b\\,c",z\nq2,Paris,,,,,\n'
    (tmp_path / "t.csv").write_text(header + row, encoding="utf-8-sig")
    found = imported(tmp_path, f"{HEAD}tests: file://t.csv\n")
    first, second = load_agent(tmp_path / "agent.yaml").require().test_cases
    assert (first.name, first.input, first.tags) == ("First", "Zwei\nZeilen!", ("tags=a", "tags=b,c"))
    assert [check.value for check in (*(first.checks or ()), *(second.checks or ()))] == [("a", "b"), "Paris"]
    assert [note.what for note in found.notes if note.kind == "left out"] == ["the column `__odd`"]


def test_defaults_scenarios_and_files_of_tests_come_together(tmp_path: Path) -> None:
    (tmp_path / "more.jsonl").write_text('{"vars": {"q": "two"}, "assert": [{"type": "contains", "value": "{{q}}"}]}\n')
    (tmp_path / "more.yaml").write_text("- vars: {q: three}\n  options: {disableDefaultAsserts: true}\n")
    text = HEAD + "tests: [{vars: {q: one}}, file://more.jsonl, 'file://*.yaml']\n"
    text += "defaultTest: {assert: [{type: icontains, value: yes}], options: {prefix: '> '}}\n"
    text += "scenarios: [{config: [{vars: {q: s1}}, {vars: {q: s2}}], tests: [{description: S}]}]\n"
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "promptfooconfig.yaml").write_text(text.replace("file://", "file://../"))
    found = import_promptfoo(tmp_path / "sub" / "promptfooconfig.yaml", tmp_path / "sub" / "a.yaml")
    (tmp_path / "sub" / "a.yaml").write_text(found.texts[tmp_path / "sub" / "a.yaml"])
    made = load_agent(tmp_path / "sub" / "a.yaml").require().test_cases
    assert [(case.input, len(case.checks or ())) for case in made] == [
        ("> one", 1),
        ("> two", 2),
        ("> three", 0),
        ("> s1", 1),
        ("> s2", 1),
    ]


def test_context_and_pictures_find_their_place(tmp_path: Path) -> None:
    (tmp_path / "p.png").write_bytes(b"x")
    chat = [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "{{q}}"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,{{pic}}"}},
            ],
        }
    ]
    (tmp_path / "chat.json").write_text(json.dumps(chat))
    text = "prompts: [file://chat.json]\nproviders: openai:gpt-4o\n"
    text += "tests:\n  - vars: {q: What?, pic: file://p.png, context: Ground.}\n"
    (case,) = cases(tmp_path, text + "    assert: [{type: context-faithfulness, threshold: 0.9}]\n")
    assert (case.input, case.files[0].path, case.retrieval_context) == ("What?", "p.png", ("Ground.",))


def test_many_cases_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("q,__expected\n" + "".join(f"Frage ü {n} ${{X}},{n}\n" for n in range(150)))
    found = cases(tmp_path, f"{HEAD}tests: file://t.csv\n")
    assert len(found) == 150
    assert found[7].input == "Frage ü 7 ${X}"
    assert len((tmp_path / "agent.cases.jsonl").read_text().splitlines()) == 150


@pytest.mark.parametrize(
    "text",
    ["a\tb\n\n  'q': \"w\"\n", "  leading\n- x: y # z", "${HOME} $${x}", "no", "012", "\u2028 x\u0085", "x \n y "],
)
def test_texts_survive_as_they_are(tmp_path: Path, text: str) -> None:
    path = tmp_path / "promptfooconfig.json"
    path.write_text(
        json.dumps({"prompts": ["{{q}}"], "providers": ["openai:gpt-4o"], "tests": [{"vars": {"q": text}}]})
    )
    found = import_promptfoo(path, tmp_path / "agent.yaml")
    (tmp_path / "agent.yaml").write_text(found.texts[tmp_path / "agent.yaml"], encoding="utf-8", newline="\n")
    assert load_agent(tmp_path / "agent.yaml").require().test_cases[0].input == text


def test_a_prompt_that_is_a_program_is_neither_run_nor_passed(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("raise SystemExit('run')")
    found = imported(
        tmp_path, "prompts: [file://p.py:make, 'exec:./x.sh']\nproviders: openai:gpt-4o\ntests: [{vars: {q: a}}]\n"
    )
    (case,) = load_agent(tmp_path / "agent.yaml").require().test_cases
    assert case.skip
    assert {"`file://p.py:make`", "`exec:./x.sh`"} <= {note.what for note in found.notes}


@pytest.mark.parametrize(
    ("cell", "ours"),
    [
        ("contains:jour", {"contains": ("jour",)}),
        ("contains: Paris: a, b", {"contains": ("Paris: a, b",)}),
        ("not-icontains:x", {"contains": ("x",), "ignore_case": True, "negated": True}),
        ("is-json", {"json_schema": {}}),
        ("cost(0.01)", {"max_cost_usd": 0.01}),
        ("starts-with:Bon", {"regex": r"\ABon"}),
        ("contains", {"equals": "contains"}),
        ("Paris: the city", {"equals": "Paris: the city"}),
        ("note:contains:x", {"equals": "note:contains:x"}),
    ],
)
def test_a_cell_of_expected_is_read_as_promptfoo_reads_it(tmp_path: Path, cell: str, ours: dict[str, Any]) -> None:
    (tmp_path / "t.csv").write_text(f'q,__expected\nhi,"{cell}"\n')
    (case,) = cases(tmp_path, f"{HEAD}tests: file://t.csv\n")
    assert [check.model_dump(exclude_defaults=True) for check in case.checks or ()] == [ours]


def test_templates_of_assertions_are_put_in_and_unused_ones_told(tmp_path: Path) -> None:
    text = HEAD + "assertionTemplates: {x: {type: contains, value: a}, y: {type: contains, value: b}}\n"
    found = imported(
        tmp_path, text + "tests: [{vars: {q: hi}, assert: [{$ref: '#/assertionTemplates/x', weight: 3}]}]\n"
    )
    (case,) = load_agent(tmp_path / "agent.yaml").require().test_cases
    assert [(check.value, check.weight) for check in case.checks or ()] == [(("a",), 3)]
    assert [note.what for note in found.notes if note.kind == "left out"] == ["`y`"]
