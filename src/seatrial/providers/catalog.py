"""Every provider by name; installed packages add theirs under the entry point ``seatrial.providers``."""

from __future__ import annotations

from seatrial.plugins import Registry
from seatrial.providers.base import ModelFactory

PROVIDERS: Registry[ModelFactory] = Registry(
    "provider",
    "seatrial.providers",
    {
        "openai": "seatrial.providers.openai:OpenAIModel",
        "azure_openai": "seatrial.providers.azure_openai:AzureOpenAIModel",
        "anthropic": "seatrial.providers.anthropic:AnthropicModel",
        "ollama": "seatrial.providers.ollama:OllamaModel",
        "openai_compatible": "seatrial.providers.openai_compatible:OpenAICompatibleModel",
        "local": "seatrial.providers.local:LocalModel",
        "gguf": "seatrial.providers.gguf:GgufModel",
        "scripted": "seatrial.providers.scripted:from_options",
        "replay": "seatrial.recording.model:from_options",
    },
)
