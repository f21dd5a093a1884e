"""The catalogue of models: what it knows, what it leaves unknown, and what users say over it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import seatrial.providers.model_catalog as catalogue
from seatrial.core.usage import LongInputCost, ModelCost, Usage, cost_of
from seatrial.errors import ConfigError
from seatrial.providers.connection import sees_images
from seatrial.providers.model_catalog import known_names, model_info, near_names
from seatrial.providers.model_match import matches, spellings

DATA = Path(catalogue.__file__).parent / "data"
FILES = sorted(DATA.glob("models_*.json"))


def models() -> list[tuple[str, dict[str, Any]]]:
    return [(file.stem, entry) for file in FILES for entry in json.loads(file.read_text())["models"]]


def test_y007_a_current_model_has_its_window_limit_modalities_reasoning_and_prices() -> None:
    info = model_info("openai", "gpt-5")
    assert info is not None
    assert (info.id, info.provider, info.context_window, info.max_tokens) == ("gpt-5", "openai", 400_000, 128_000)
    assert info.is_reasoning
    assert info.input_modalities == ("text", "image")
    assert info.cost == ModelCost(input=1.25, output=10, cache_read=0.125)


@pytest.mark.parametrize(
    ("provider", "name", "entry"),
    [
        ("openai", "gpt-5-2025-08-07", "gpt-5"),
        ("openai", "gpt-5-20250807", "gpt-5"),
        ("openai", "openai/gpt-5", "gpt-5"),
        ("openai", "GPT-5", "gpt-5"),
        ("anthropic", "claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("anthropic", "anthropic/claude-haiku-4-5", "claude-haiku-4-5"),
    ],
)
def test_y007_dated_names_aliases_and_vendor_prefixes_find_their_model(provider: str, name: str, entry: str) -> None:
    info = model_info(provider, name)
    assert info is not None
    assert info.id == entry


def test_y007_azure_knows_the_models_of_the_vendors_it_sells() -> None:
    info = model_info("azure_openai", "gpt-5")
    assert info is not None
    assert info.provider == "azure_openai"
    assert info.cost == ModelCost(input=1.25, output=10, cache_read=0.125)


def test_y007_an_endpoint_of_a_known_vendor_gives_its_entries_to_any_provider() -> None:
    info = model_info("openai_compatible", "openai/gpt-oss-120b", endpoint="https://openrouter.ai/api/v1")
    assert info is not None
    assert info.provider == "openai_compatible"
    assert model_info("openai_compatible", "openai/gpt-oss-120b", endpoint="http://127.0.0.1:8000/v1") is None


@pytest.mark.parametrize("provider", ["ollama", "openai_compatible", "local", "gguf", "scripted"])
def test_a_provider_without_a_list_has_no_names_to_check_against(provider: str) -> None:
    assert known_names(provider) == []
    assert model_info(provider, "anything") is None


def test_a_model_that_does_not_answer_in_text_is_unknown() -> None:
    assert model_info("openai", "gpt-4o-realtime-preview") is None
    assert "whisper-1" not in known_names("openai")


@pytest.mark.parametrize(
    ("provider", "typo", "meant"),
    [
        ("openai", "gpt5", "gpt-5"),
        ("openai", "gpt-4-o", "gpt-4o"),
        ("anthropic", "claude-sonet-4-5", "claude-sonnet-4-5"),
        ("azure_openai", "gpt-4o-mni", "gpt-4o-mini"),
    ],
)
def test_h003_an_unknown_name_has_near_names(provider: str, typo: str, meant: str) -> None:
    assert model_info(provider, typo) is None
    assert near_names(provider, typo)[0] == meant


@pytest.mark.parametrize("provider", ["openai", "azure_openai", "anthropic"])
def test_every_listed_name_is_found(provider: str) -> None:
    names = known_names(provider)
    assert len(names) > 20
    assert [name for name in names if model_info(provider, name) is None] == []


def test_y008_a_price_without_a_source_is_unknown_and_so_is_the_cost() -> None:
    info = model_info("openai_compatible", "deepseek-flash", endpoint="https://api.deepseek.com/v1")
    assert info is not None
    assert info.cost is None
    assert cost_of(Usage(input_tokens=10, output_tokens=10), info.cost) is None


def test_y008_a_long_request_costs_the_step_it_has_passed() -> None:
    prices = ModelCost(input=2, output=10, long_input=(LongInputCost(200_000, input=4, output=15),))
    assert cost_of(Usage(input_tokens=200_000, output_tokens=1_000), prices) == pytest.approx(0.41)
    assert cost_of(Usage(input_tokens=200_001, output_tokens=1_000), prices) == pytest.approx(0.815004)


def test_y008_a_step_without_a_needed_price_makes_the_cost_unknown() -> None:
    prices = ModelCost(input=2, output=10, cache_read=1, long_input=(LongInputCost(10, input=4, output=15),))
    assert cost_of(Usage(input_tokens=100, output_tokens=1, cache_read_tokens=5), prices) is None


def test_y007_a_user_can_add_a_model() -> None:
    said = {"openai_compatible": {"my-model": {"context_window": 8192, "cost": {"input": 1, "output": 2}}}}
    info = model_info("openai_compatible", "my-model", said)
    assert info is not None
    assert (info.id, info.context_window, info.max_tokens) == ("my-model", 8192, None)
    assert info.cost == ModelCost(input=1, output=2)
    assert known_names("openai_compatible", said) == ["my-model"]


def test_y007_a_user_can_change_one_thing_of_a_known_model() -> None:
    info = model_info("openai", "gpt-5", {"openai": {"gpt-5": {"cost": {"input": 1.0}, "reasoning": False}}})
    assert info is not None
    assert info.cost == ModelCost(input=1.0, output=10, cache_read=0.125)
    assert not info.is_reasoning
    assert info.context_window == 400_000


def test_y008_null_makes_a_known_price_unknown() -> None:
    info = model_info("openai", "gpt-5", {"openai": {"gpt-5": {"cost": None}}})
    assert info is not None
    assert info.cost is None


def test_a_users_price_holds_for_long_requests_too() -> None:
    stepped = model_info("openai", "gpt-6-sol")
    own = model_info("openai", "gpt-6-sol", {"openai": {"gpt-6-sol": {"cost": {"input": 1}}}})
    assert stepped is not None
    assert stepped.cost is not None
    assert stepped.cost.long_input
    assert own is not None
    assert own.cost is not None
    assert own.cost.long_input == ()


@pytest.mark.parametrize(
    "said",
    [{"windw": 1}, {"context_window": "big"}, {"max_tokens": 0}, {"cost": {"inptu": 1}}, {"cost": {"input": -1}}],
)
def test_an_override_that_is_wrong_is_an_error_that_names_the_model(said: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="openai: gpt-5") as caught:
        model_info("openai", "gpt-5", {"openai": {"gpt-5": said}})
    assert "context_window" in (caught.value.hint or "")


def test_every_text_model_names_its_sources_with_their_versions() -> None:
    for file, entry in models():
        if entry.get("is_text", True):
            assert entry["sources"], (file, entry["id"])
            assert all(re.match(r"(genai-prices|litellm) \d+\.\d+", source) for source in entry["sources"])


def test_the_sources_licences_travel_with_the_data() -> None:
    index = json.loads((DATA / "models.json").read_text())
    notices = (DATA / "models_LICENCES.txt").read_text()
    assert {card["licence"] for card in index["sources"].values()} == {"MIT"}
    for name, card in index["sources"].items():
        assert f"{name} {card['version']}" in notices
    assert notices.count("Permission is hereby granted") == len(index["sources"])


def test_no_number_of_the_data_is_zero_where_it_would_mean_unknown() -> None:
    for file, entry in models():
        assert entry.get("context_window", 1) > 0, (file, entry["id"])
        assert entry.get("max_tokens", 1) > 0, (file, entry["id"])
        assert entry.get("max_tokens", 0) <= entry.get("context_window", float("inf")), (file, entry["id"])


def test_every_rule_of_the_data_can_be_read() -> None:
    for _, entry in models():
        assert matches(entry["match"], "no model has this name") is False


def test_steps_for_long_requests_stand_in_order() -> None:
    for file, entry in models():
        starts = [step["above_input_tokens"] for step in entry.get("cost", {}).get("long_input", [])]
        assert starts == sorted(set(starts)), (file, entry["id"])


def test_every_vendor_of_the_index_has_its_file() -> None:
    index = json.loads((DATA / "models.json").read_text())
    assert sorted(vendor["file"] for vendor in index["vendors"]) == [file.name for file in FILES]
    for vendor in index["vendors"]:
        assert re.compile(vendor["endpoint"])


@pytest.mark.parametrize(
    ("rule", "name", "holds"),
    [
        ("=a", "a", True),
        ("=a", "ab", False),
        ("^a", "ab", True),
        ("$b", "ab", True),
        ("*b", "abc", True),
        (r"~^a-\d{2}$", "a-12", True),
        (["=a", "=b"], "b", True),
        ({"all": ["^a", "$c"]}, "abc", True),
        ({"all": ["^a", "$c"]}, "ab", False),
    ],
)
def test_a_rule_holds_as_it_reads(rule: Any, name: str, holds: bool) -> None:
    assert matches(rule, name) is holds


def test_a_number_that_is_no_date_stays_as_it_is() -> None:
    assert list(spellings("m-20260231", "v")) == ["m-20260231"]
    assert list(spellings("v/m-20260131", "v")) == ["v/m-20260131", "v/m-2026-01-31", "m-20260131", "m-2026-01-31"]


def test_y007_modalities_that_no_source_states_are_unknown_and_not_text_alone() -> None:
    newer_than_its_source = model_info("anthropic", "claude-mythos-5-2")
    assert newer_than_its_source is not None
    assert newer_than_its_source.input_modalities is None
    assert sees_images(newer_than_its_source)


def test_a_user_who_says_a_price_says_nothing_about_pictures() -> None:
    info = model_info("ollama", "llava", {"ollama": {"llava": {"cost": {"input": 0, "output": 0}}}})
    assert info is not None
    assert info.input_modalities is None
    assert sees_images(info)
