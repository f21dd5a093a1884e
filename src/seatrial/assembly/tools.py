"""From a ``tools:`` entry to a live tool."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, assert_never

from seatrial.assembly.embedders import build_embedder
from seatrial.assembly.models import Models
from seatrial.assembly.prompt_tools import ModelMaker, build_prompt_tool
from seatrial.config.diagnostics import Diagnostic
from seatrial.config.hooks import split_reference
from seatrial.config.loaded import LoadedAgent
from seatrial.config.mcp import McpToolConfig
from seatrial.config.model import ModelConfig
from seatrial.config.parameters import ParameterConfig
from seatrial.config.tools import FunctionToolConfig, PromptToolConfig
from seatrial.config.vectorstore import DatabaseConfig, VectorstoreToolConfig
from seatrial.core.tool import Tool
from seatrial.documents.passages import FieldSettings
from seatrial.errors import ConfigError, ToolError
from seatrial.recording.deck import Deck
from seatrial.retrieval.base import Reranker
from seatrial.retrieval.catalog import DEFAULT_STORE
from seatrial.retrieval.opening import index_class
from seatrial.retrieval.search import SearchSettings
from seatrial.retrieval.settings import ChunkSettings, IndexSettings
from seatrial.tools.function import FunctionTool
from seatrial.tools.reranker import UserReranker
from seatrial.tools.user_module import load_function
from seatrial.tools.vectorstore import VectorstoreTool

if TYPE_CHECKING:
    from seatrial.retrieval.index import Index

STATE_FOLDER = ".seatrial"
OwnToolConfig = FunctionToolConfig | VectorstoreToolConfig | PromptToolConfig


def build_tools(
    loaded: LoadedAgent,
    model_for: ModelMaker | None = None,
    agents_model: ModelConfig | None = None,
    deck: Deck | None = None,
) -> list[Tool]:
    """Every tool that is the agent's own; those of servers come from `build_servers`.

    ``model_for`` makes the models that prompt tools ask, the agent's where they name none. With a ``deck`` embedders go
    over its tapes.

    Raises `ConfigError` with a diagnostic for each tool that cannot be built.
    """
    model_for = model_for or Models(loaded).get
    agents_model = agents_model or loaded.require().model
    tools: list[Tool] = []
    findings: list[Diagnostic] = []
    for index, config in enumerate(loaded.require().tools):
        if isinstance(config, McpToolConfig):
            continue
        try:
            tools.append(build_tool(config, loaded, model_for, agents_model, deck))
        except (ToolError, ConfigError) as error:
            code, key = _kind_of_problem(config)
            findings.append(loaded.diagnose(code, ("tools", index, key), error.message, hint=error.hint))
    if findings:
        raise ConfigError(f"{loaded.path} names tools that cannot be used", diagnostics=findings)
    return tools


def _kind_of_problem(config: OwnToolConfig) -> tuple[str, str]:
    """The code of a finding about a tool that cannot be built, and the key to look at."""
    match config:
        case FunctionToolConfig():
            return "ST302", "file"
        case PromptToolConfig():
            return "ST303", "model"
        case _:
            return "ST302", "type"


def build_tool(
    config: OwnToolConfig,
    loaded: LoadedAgent,
    model_for: ModelMaker,
    agents_model: ModelConfig,
    deck: Deck | None = None,
) -> Tool:
    """The tool that the entry describes; a function tool's file is executed. Raises `ToolError` or `ConfigError`."""
    match config:
        case FunctionToolConfig():
            return _function(config, loaded)
        case VectorstoreToolConfig():
            return _vectorstore(config, loaded, deck)
        case PromptToolConfig():
            return build_prompt_tool(config, loaded, model_for, agents_model)
        case _:
            assert_never(config)


def open_index(config: VectorstoreToolConfig, loaded: LoadedAgent, deck: Deck | None = None) -> Index:
    """The index of a vectorstore tool, beside the agent file; it may be empty or old. Blocks."""
    embedder = build_embedder(config, loaded)
    if deck is not None:
        embedder = deck.embedder(embedder)
    return index_class().open(loaded.folder / STATE_FOLDER / "index", embedder, index_settings(config))


def index_settings(config: VectorstoreToolConfig) -> IndexSettings:
    """What the index is made of."""
    chunking = ChunkSettings()
    if config.chunk_size is not None:
        overlap = config.chunk_overlap if config.chunk_overlap is not None else config.chunk_size // 10
        chunking = ChunkSettings(config.chunk_size, overlap, "tokens")
    return IndexSettings(
        name=config.name,
        chunking=chunking,
        fields=FieldSettings(
            vector_fields=config.vector_field or (),
            meta_fields=config.meta_fields,
            record_prefix=config.record_prefix or "",
            meta_prefix=config.meta_prefix or "",
            separator=config.field_separator,
            id_field=config.id_field,
        ),
        record_path=config.record_path,
        delimiter=config.delimiter,
        include=config.include,
        exclude=config.exclude,
        store=config.database.provider if config.database else DEFAULT_STORE,
        connection=_connection(config.database),
    )


def search_settings(config: VectorstoreToolConfig) -> SearchSettings:
    """How the tool searches."""
    return SearchSettings(config.top_k, config.min_similarity_score, config.search_mode)


def build_reranker(config: VectorstoreToolConfig, loaded: LoadedAgent) -> Reranker | None:
    """The function that has the last word on the hits; its file is executed. Raises `ToolError`."""
    if config.reranker is None:
        return None
    file, function = split_reference(config.reranker)
    return UserReranker(load_function(loaded.path_to(file), function), config.reranker)


def _function(config: FunctionToolConfig, loaded: LoadedAgent) -> Tool:
    parameters = config.parameters
    return FunctionTool.of(
        load_function(loaded.path_to(config.file), config.function),
        name=config.name,
        description=config.description,
        parameters=None if parameters is None else {name: _declared(item) for name, item in parameters.items()},
        examples=config.examples,
        timeout_s=config.timeout_s,
        execution_mode=config.execution_mode,
        thread=config.thread,
        max_output_chars=config.max_output,
    )


def _declared(parameter: ParameterConfig) -> dict[str, Any]:
    """The parameter as the tool reads it: its schema, and whether it must be given where the file says so."""
    told = {"required": parameter.required} if isinstance(parameter.required, bool) else {}
    return {**parameter.json_schema(), **told}


def _vectorstore(config: VectorstoreToolConfig, loaded: LoadedAgent, deck: Deck | None) -> Tool:
    return VectorstoreTool(
        name=config.name,
        description=config.description,
        open_index=partial(open_index, config, loaded, deck),
        source=loaded.path_to(config.source),
        settings=search_settings(config),
        rerank=build_reranker(config, loaded),
        examples=config.examples,
        timeout_s=config.timeout_s,
        execution_mode=config.execution_mode,
        max_output_chars=config.max_output,
    )


def _connection(database: DatabaseConfig | None) -> dict[str, Any]:
    """What a server's store is opened with; the address is plain text here and must not be shown."""
    if database is None:
        return {}
    address = database.connection_string
    told = {} if address is None else {"connection_string": address.get_secret_value()}
    return {**(database.options or {}), **told}
