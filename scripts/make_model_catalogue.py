"""Makes the model catalogue in src/seatrial/providers/data from the data inside two published packages.

Prices, context windows and the rules that match a name to a model come from genai-prices; the output limit, the input
modalities and whether a model reasons come from the model table inside litellm, which is read as a file and never
imported. Nothing else is added: what neither says stays out, and out means unknown.

    python -m venv /tmp/catalogue
    /tmp/catalogue/bin/pip install genai-prices
    /tmp/catalogue/bin/pip install --no-deps litellm
    /tmp/catalogue/bin/python scripts/make_model_catalogue.py
"""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from genai_prices.data import providers

DATA = Path(__file__).parents[1] / "src" / "seatrial" / "providers" / "data"
LIMITS_FILE = "litellm/model_prices_and_context_window_backup.json"
PRICES, LIMITS = "genai-prices", "litellm"

# vendor in genai-prices -> how litellm spells it: {litellm_provider: prefix of its names}
VENDORS = {
    "openai": {"openai": "", "text-completion-openai": ""},
    "azure": {"azure": "azure/", "azure_ai": "azure_ai/"},
    "anthropic": {"anthropic": ""},
    "cerebras": {"cerebras": "cerebras/"},
    "deepseek": {"deepseek": "deepseek/"},
    "fireworks": {"fireworks_ai": "fireworks_ai/"},
    "google": {"gemini": "gemini/"},
    "groq": {"groq": "groq/"},
    "minimax": {"minimax": "minimax/"},
    "mistral": {"mistral": "mistral/"},
    "moonshotai": {"moonshot": "moonshot/"},
    "openrouter": {"openrouter": "openrouter/"},
    "together": {"together_ai": "together_ai/"},
    "x-ai": {"xai": "xai/"},
    "zai": {"zai": "zai/"},
}
TEXT_MODES = {"chat", "responses", "completion"}
NOT_TEXT = re.compile(r"realtime|transcri|whisper|tts|image|imagen|veo|embed|moderation|rerank|dall-e|sora|ocr|speech")
KINDS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cache_read": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
}
# A request is charged for these besides its tokens, or its tokens in a way that four prices cannot say.
INEXPRESSIBLE = {"requests_kcount", "output_reasoning_mtok"}
PRICED_INPUT = {"input_image_mtok": "image", "input_audio_mtok": "audio", "input_video_mtok": "video"}


@dataclass
class Limits:
    """One row of the model table in litellm."""

    name: str
    row: dict[str, Any]

    @property
    def facts(self) -> dict[str, Any]:
        """What the row says, in the catalogue's words; a word is absent where the row is silent."""
        found: dict[str, Any] = {}
        if isinstance(self.row.get("max_output_tokens"), int) and self.row["max_output_tokens"] > 0:
            found["max_tokens"] = self.row["max_output_tokens"]
        if self.row.get("supports_reasoning") is True:
            found["reasoning"] = True
        if modalities := self._modalities():
            found["input_modalities"] = modalities
        return found

    def _modalities(self) -> list[str]:
        named = self.row.get("supported_modalities")
        if isinstance(named, list):
            return [kind for kind in ("text", "image", "audio", "video") if kind in named]
        flags = {"image": "supports_vision", "audio": "supports_audio_input", "video": "supports_video_input"}
        more = [kind for kind, flag in flags.items() if self.row.get(flag) is True]
        return ["text", *more] if more else []


@dataclass
class Made:
    """What came out, for the line that the script ends with."""

    models: int = 0
    priced: int = 0
    windows: int = 0
    limits: int = 0


def rule(clause: Any) -> Any:
    """A match clause in the short form that `seatrial.providers.model_match` reads."""
    match type(clause).__name__:
        case "ClauseEquals":
            return "=" + clause.equals.lower()
        case "ClauseStartsWith":
            return "^" + clause.starts_with.lower()
        case "ClauseEndsWith":
            return "$" + clause.ends_with.lower()
        case "ClauseContains":
            return "*" + clause.contains.lower()
        case "ClauseRegex":
            return "~" + clause.regex
        case "ClauseOr":
            return [rule(part) for part in clause.or_]
        case "ClauseAnd":
            return {"all": [rule(part) for part in clause.and_]}
        case other:
            raise SystemExit(f"genai-prices has a new kind of match clause: {other}")


def prices_on(model: Any, day: date) -> tuple[Any | None, str | None]:
    """The prices of the day, and a note where there is no single one."""
    if not isinstance(model.prices, list):
        return model.prices, None
    if any(hasattr(part.constraint, "start_time") for part in model.prices):
        return None, "the price depends on the hour of the day"
    return model.get_prices(datetime(day.year, day.month, day.day, 12, tzinfo=UTC)), None


def cost_of(price: Any) -> tuple[dict[str, Any] | None, str | None]:
    """The four prices with their steps for long requests, and a note where they cannot say what is charged."""
    set_keys = {key for key, value in price.__dict__.items() if value is not None}
    if odd := set_keys & INEXPRESSIBLE:
        return None, f"charged by {', '.join(sorted(odd))} too"
    values = {kind: getattr(price, key) for kind, key in KINDS.items() if getattr(price, key) is not None}
    if not values:
        return None, None
    cost: dict[str, Any] = {kind: number(getattr(value, "base", value)) for kind, value in values.items()}
    starts = sorted({tier.start for value in values.values() for tier in getattr(value, "tiers", ())})
    if starts:
        cost["long_input"] = [
            {"above_input_tokens": start} | {kind: number(at(value, start)) for kind, value in values.items()}
            for start in starts
        ]
    return cost, None


def at(value: Any, start: int) -> Any:
    """One price for inputs just above ``start`` tokens."""
    reached = [tier.price for tier in getattr(value, "tiers", ()) if tier.start <= start]
    return reached[-1] if reached else getattr(value, "base", value)


def number(value: Any) -> int | float:
    """A decimal as the shortest JSON number."""
    return int(value) if value == int(value) else float(value)


def answers_in_text(model: Any, price: Any | None, limits: list[Limits]) -> bool:
    """Whether an agent can run on it. Silence is taken for yes, any sign of another kind for no."""
    if NOT_TEXT.search(model.id.lower()):
        return False
    modes = {limit.row.get("mode") for limit in limits} - {None}
    if modes:
        return bool(modes & TEXT_MODES)
    set_keys = {key for key, value in price.__dict__.items() if value is not None} if price else set()
    return not set_keys or "output_mtok" in set_keys


def limits_of(vendor: Any, table: dict[str, Any]) -> dict[str, list[Limits]]:
    """The rows of the model table that belong to each model of a vendor, by the vendor's own match rules."""
    found: dict[str, list[Limits]] = {}
    for full_name, row in table.items():
        prefix = VENDORS[vendor.id].get(row.get("litellm_provider"))
        if prefix is None or not full_name.startswith(prefix):
            continue
        if model := vendor.find_model(full_name.removeprefix(prefix)):
            found.setdefault(model.id, []).append(Limits(full_name, row))
    for model_id, rows in found.items():
        exact = [limit for limit in rows if f"/{limit.name}".lower().endswith(f"/{model_id}".lower())]
        found[model_id] = exact or rows
    return found


def agreed(rows: list[Limits]) -> dict[str, Any]:
    """What all rows say alike; where two disagree nothing is known."""
    if not rows:
        return {}
    first, *rest = (limit.facts for limit in rows)
    return {key: value for key, value in first.items() if all(other.get(key) == value for other in rest)}


def entry(model: Any, rows: list[Limits], day: date, versions: dict[str, str]) -> dict[str, Any]:
    """One model of the catalogue."""
    price, note = prices_on(model, day)
    made: dict[str, Any] = {"id": model.id, "match": rule(model.match)}
    if not answers_in_text(model, price, rows):
        return made | {"is_text": False}
    cost = None
    if price is not None:
        cost, note = cost_of(price)
    facts = agreed(rows)
    if price is not None and "input_modalities" not in facts:
        more = [kind for key, kind in PRICED_INPUT.items() if getattr(price, key, None) is not None]
        if more:
            facts["input_modalities"] = ["text", *more]
    if model.context_window and facts.get("max_tokens", 0) > model.context_window:
        del facts["max_tokens"]  # the two sources contradict each other
    made |= {"name": model.name} if model.name else {}
    made |= {"context_window": model.context_window} if model.context_window else {}
    made |= facts
    made |= {"cost": cost} if cost else {}
    made |= {"deprecated": True} if model.deprecated else {}
    made |= {"note": note} if note else {}
    made["sources"] = [f"{PRICES} {versions[PRICES]}"]
    if rows and facts:
        made["sources"].append(f"{LIMITS} {versions[LIMITS]}: {rows[0].name}")
    return made


def write_lines(path: Path, head: dict[str, Any], models: list[dict[str, Any]]) -> None:
    """One model a line, so that a new release of a source reads well as a change."""
    compact = [json.dumps(model, ensure_ascii=False, separators=(",", ":")) for model in models]
    opening = json.dumps(head, ensure_ascii=False, indent=1)[:-2]
    path.write_text(f'{opening},\n "models": [\n' + ",\n".join(compact) + "\n]\n}\n", encoding="utf-8")


def package_card(name: str) -> dict[str, str]:
    """Name, version, licence and home of a source."""
    meta = distribution(name).metadata
    urls = dict(line.split(", ", 1) for line in meta.get_all("Project-URL") or [])
    return {
        "version": meta["Version"],
        "licence": meta["License-Expression"] or meta["License"],
        "url": urls.get("Source") or urls.get("Repository") or urls["Homepage"],
    }


def notices() -> str:
    """The licence texts that go with copies of the sources' data."""
    parts = ["The files models*.json hold data taken from these packages.\n"]
    for name in (PRICES, LIMITS):
        dist = distribution(name)
        texts = [path.read_text().strip() for path in dist.files or [] if path.name == "LICENSE"]
        parts.append(f"\n{'=' * 80}\n{name} {dist.version}\n{'=' * 80}\n\n" + "\n\n".join(texts) + "\n")
    return "".join(parts)


def main() -> None:
    """Writes models.json (the vendors), one models_<vendor>.json each, and the sources' licences."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--date", type=date.fromisoformat, default=datetime.now(UTC).date(), help="prices of this day")
    day = parser.parse_args().date
    table = json.loads(Path(str(distribution(LIMITS).locate_file(LIMITS_FILE))).read_text(encoding="utf-8"))
    table.pop("sample_spec", None)
    cards = {name: package_card(name) for name in (PRICES, LIMITS)}
    versions = {name: card["version"] for name, card in cards.items()}
    done = Made()
    vendors = []
    for vendor in providers:
        if vendor.id not in VENDORS:
            continue
        rows = limits_of(vendor, table)
        models = [entry(model, rows.get(model.id, []), day, versions) for model in vendor.models]
        head = {
            "vendor": vendor.name,
            "prices_of": day.isoformat(),
            "sources": cards,
            "price_pages": vendor.pricing_urls or [],
        }
        name = f"models_{vendor.id.replace('-', '_')}.json"
        write_lines(DATA / name, head, models)
        fallback = [other for other in vendor.fallback_model_providers or [] if other in VENDORS]
        vendors.append({"id": vendor.id, "file": name, "endpoint": vendor.api_pattern, "fallback": fallback})
        usable = [model for model in models if model.get("is_text", True)]
        done.models += len(usable)
        done.priced += sum("cost" in model for model in usable)
        done.windows += sum("context_window" in model for model in usable)
        done.limits += sum("max_tokens" in model for model in usable)
    (DATA / "models.json").write_text(
        json.dumps({"sources": cards, "vendors": vendors}, indent=1) + "\n", encoding="utf-8"
    )
    (DATA / "models_LICENCES.txt").write_text(notices(), encoding="utf-8")
    parser.exit(
        message=f"{len(vendors)} vendors, {done.models} models: {done.priced} with prices, "
        f"{done.windows} with a context window, {done.limits} with an output limit\n"
    )


if __name__ == "__main__":
    main()
