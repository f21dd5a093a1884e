"""Writes ``docs/reference/agent-file.md`` from the models that read the agent file.

python scripts/make_agent_file_reference.py            # writes the page
python scripts/make_agent_file_reference.py --check    # exit code 1 when the page is out of date
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seatrial.config.entity import Entity, entity_classes
from seatrial.config.holodeck import ignored_keys
from seatrial.config.json_schema import agent_json_schema, tidied
from seatrial.config.model_overrides import ModelOverrideConfig, ModelPricesConfig

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "agent-file.md"
INTRODUCTION = """\
# The agent file

`agent.yaml` says what an agent is and what it must be able to do. `seatrial validate` checks it
([what it says](diagnostics.md)); `seatrial schema` prints its JSON Schema, [here as a file](agent.schema.json). This
page is made from the same models by `scripts/make_agent_file_reference.py`.

Editors with a YAML language server complete and check the file by that schema. `seatrial init` does not write it into
new projects; write it beside the agent file with `seatrial schema > agent.schema.json` (plugins that are installed are
in it), and name it in the first line, as below.

- Files are UTF-8. A key given twice is an error, a misspelt key too.
- Where a text is asked for, the file's own text counts: `no`, `0123`, `12:30` and dates stay what they are.
- A key without a value counts as left out.
- `${NAME}` is the environment variable, `${NAME:-text}` has a default, `$${` is a literal `${`. Variables come from the
  process environment, then from `.env` beside the file. They are put in after parsing: no value changes the structure.
- Keys that begin with `x-` at the top may hold anchors.
- Relative paths begin at the folder of the agent file.
- Defaults of providers may stand in `config.yaml` beside the file, in the project's `seatrial.yaml` and in
  `~/.config/seatrial/config.yaml`: `providers: {openai: {endpoint: ..., api_key_env: ...}}`. The agent file wins, then
  the environment, the project, the user. `seatrial validate --show-effective` shows what comes from where.

```yaml
# yaml-language-server: $schema=agent.schema.json
name: shop-helper
model:
  provider: openai
  name: gpt-5-mini
  api_key: ${OPENAI_API_KEY}
instructions:
  file: instructions.md
tools:
  - name: order_status
    type: function
    description: Says where an order is.
    file: tools.py
    function: order_status
  - name: search
    type: vectorstore
    description: Finds answers in the shop's documents.
    source: knowledge
evaluations:
  model: openai:gpt-5
  metrics:
    - {metric: f1_score, threshold: 0.5}
    - {metric: groundedness, threshold: 4}
test_cases:
  - name: returns
    input: How long may I take to send something back?
    expected_tools: [search]
    ground_truth: You may return unused items within 30 days.
  - name: order
    input: Where is order 4711?
    expected_tools:
      - name: order_status
        args: {order_id: {regex: "0*4711"}}
    checks:
      - contains: shipped
      - max_latency_ms: 5000
test_cases_file: cases/*.jsonl
```
"""


def page() -> str:
    """The whole page."""
    schema = agent_json_schema()
    classes = {cls.__name__: cls for cls in entity_classes()}
    lines = [INTRODUCTION, *section("The file", classes["AgentConfig"], schema, classes)]
    for name in in_order_of_use(schema):
        lines += section(title(classes[name]), classes[name], schema["$defs"][name], classes)
    lines += settings_sections(classes)
    lines += [
        "## Keys of HoloDeck without effect",
        "",
        "Files written for HoloDeck load; these keys give a warning each.",
        "",
    ]
    lines += ["| key | why |", "| --- | --- |"]
    lines += [f"| `{key}` | {reason} |" for key, reason in ignored_keys().items()]
    return "\n".join(lines) + "\n"


def settings_sections(classes: dict[str, type[Entity]]) -> Iterator[str]:
    """What may stand in the settings alone."""
    yield from (
        "## models in the settings",
        "",
        "`models:` in `config.yaml` beside the agent file, the project's `seatrial.yaml` or",
        "`~/.config/seatrial/config.yaml` says of models what you know better than the catalogue: provider, then the",
        "model's name, then its keys",
        "([an example](../providers.md#prices-and-limits-of-your-own)).",
        "",
    )
    for cls in (ModelOverrideConfig, ModelPricesConfig):
        yield from section(title(cls), cls, tidied(cls.model_json_schema()), classes)


def section(heading: str, cls: type[Entity], schema: dict[str, Any], classes: dict[str, type[Entity]]) -> Iterator[str]:
    """A heading, what the block is, and a table of its keys."""
    block = schema if "properties" in schema else next(part for part in schema["anyOf"] if "properties" in part)
    required = block.get("required", ())
    yield from (
        f"## {heading}",
        "",
        " ".join((cls.__doc__ or "").replace("``", "`").split()),
        "",
        "| key | value | meaning |",
        "| --- | --- | --- |",
    )
    for key, part in block["properties"].items():
        if part.get("deprecated"):
            continue
        need = " **required**" if key in required else ""
        default = f" Default: `{part['default']}`." if isinstance(part.get("default"), str | int | float) else ""
        meaning = part.get("description") or "as in JSON Schema"
        told = default.replace("`True`", "`true`").replace("`False`", "`false`")
        yield f"| `{key}`{need} | {words(part, classes)} | {meaning}{told} |"
    yield ""


def words(schema: dict[str, Any], classes: dict[str, type[Entity]]) -> str:
    """A value in few words."""
    if "$ref" in schema:
        name = title(classes[schema["$ref"].rpartition("/")[2]])
        return f"[{name}](#{name.replace(' ', '-')})"
    if "enum" in schema:
        return ", ".join(f"`{item}`" for item in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    options = [part for part in schema.get("anyOf", schema.get("oneOf", ())) if not is_implied(part)]
    if options:
        return " or ".join(dict.fromkeys(words(part, classes) for part in options))
    if schema.get("type") == "array":
        most = f", at most {schema['maxItems']}" if "maxItems" in schema else ""
        return f"list of {words(schema.get('items', {}), classes)}{most}"
    if schema.get("type") == "object":
        inner = schema.get("additionalProperties")
        return f"names with {words(inner, classes)}" if isinstance(inner, dict) else "block"
    return simple_words(schema)


def simple_words(schema: dict[str, Any]) -> str:
    """A text, a number or a truth value, with its limits."""
    kind = schema.get("type")
    if kind is None:
        return "anything"
    if kind == "boolean":
        return "true or false"
    if kind in ("integer", "number"):
        name = "whole number" if kind == "integer" else "number"
        limits = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "exclusiveMaximum": "below"}
        told = [f"{word} {schema[key]:g}" for key, word in limits.items() if key in schema]
        return " ".join([name, *told])
    return f"text, at most {schema['maxLength']} characters" if "maxLength" in schema else "text"


def is_implied(schema: dict[str, Any]) -> bool:
    """What holds everywhere: a key may be empty, and a number or word may be a variable or a quoted text."""
    is_variable = schema.get("type") == "string" and str(schema.get("pattern", "")).endswith(r"\$\{")
    return schema.get("type") == "null" or is_variable


def title(cls: type[Entity]) -> str:
    """How a block is called, as a heading."""
    return cls.called.strip("`:").removeprefix("a ").removeprefix("an ").removeprefix("the ").replace("MCP", "mcp")


def in_order_of_use(schema: dict[str, Any]) -> list[str]:
    """The blocks, in the order in which the file leads to them."""
    found: dict[str, None] = {}
    waiting = [{key: part for key, part in schema.items() if key != "$defs"}]
    while waiting:
        for name in references(waiting.pop(0)):
            if name not in found:
                found[name] = None
                waiting.append(schema["$defs"][name])
    return list(found)


def references(value: Any) -> Iterator[str]:
    """Names of the blocks that a part of the schema refers to."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"].rpartition("/")[2]
        for part in value.values():
            yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)


def main() -> int:
    """Writes or checks the page."""
    made = page()
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.exists() and PAGE.read_text(encoding="utf-8") == made else 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
