"""Graphs of a langgraph.json as agents: imported, compiled, or made again for each run, as LangGraph's server does."""

import asyncio
import importlib.util
import inspect
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from types import ModuleType
from typing import Any, TypeAlias, cast, get_type_hints

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph
from langgraph.pregel import Pregel
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from pydantic import PydanticUserError
from pydantic_core import to_json, to_jsonable_python

from turnkeep.graphfile import GraphFile, GraphSpec
from turnkeep.graphs.agent import Agent
from turnkeep.observability import logger
from turnkeep.records import JSON, Reply
from turnkeep.settings import UnusableFile
from turnkeep.store.serde import text_of
from turnkeep.texts import whole

AnyGraph = Pregel[Any, Any, Any, Any]
Made: TypeAlias = Callable[..., AbstractAsyncContextManager[AnyGraph]]

UNNAMED = "LangGraph"  # LangGraph's name of a graph without a name
REPLY_BYTES = 64 * 1024  # of a reply, or of details that are a state in JSON


def build_all(file: GraphFile) -> tuple[dict[str, Agent], list[str]]:
    """Import all graphs of the file. Return those that can be served, and a line for each other one with the reason."""
    agents, faults = {}, []
    for name, spec in file.graphs.items():
        try:
            agents[name] = build_own(file, spec)
        except UnusableFile as error:
            faults.append(str(error))
    return agents, faults


def build_own(file: GraphFile, spec: GraphSpec) -> Agent:
    """Return the graph as an agent. Raises UnusableFile for every failure; it names the line and the remedy."""
    if spec.fault:
        raise UnusableFile(spec.fault)
    file.use()
    found = _attribute(_module(file, spec), spec)
    try:
        return as_agent(found, spec)
    except UnusableFile:
        raise
    except Exception as error:
        raise UnusableFile(f"{spec.place}: `{spec.attribute}` cannot be served: {_words(error)}") from error


def as_agent(found: Any, spec: GraphSpec) -> Agent:
    """Return an agent. `found` is a graph, a builder of one, or a function that makes one; raises UnusableFile."""
    made = _maker(found, spec) if callable(found) else None
    graph = _drawn(made, spec) if made else _compiled(found, spec)
    for name, kind in (("checkpointer", BaseCheckpointSaver), ("store", BaseStore)):
        if isinstance(getattr(graph, name), kind):
            advice = f"it was compiled with its own {name}, which is not used here; remove it from compile()"
            logger.warning("graph runs with the store of this server", agent=spec.name, where=spec.where, advice=advice)
    return Agent(
        name=spec.name,
        graph=graph,
        read_reply=partial(_reply, graph),
        window=spec.window,
        make=partial(_make, made) if made else None,
        message=_message_key(graph, spec),
        is_own=True,
    )


def attribute_of(file: GraphFile, source: str, name: str) -> Any:
    """Return an attribute of a file or module of the folder, such as the `embed` of its store; raises UnusableFile."""
    file.use()
    spec = GraphSpec("store", source, name, str(file.path))
    return _attribute(_module(file, spec), spec)


def _module(file: GraphFile, spec: GraphSpec) -> ModuleType:
    """Import the module. Any error is the file's fault and stops this graph alone."""
    try:
        return _from_file(file, spec) if spec.is_file else importlib.import_module(spec.source)
    except ModuleNotFoundError as error:
        missing = str(error.name).partition(".")[0]
        remedy = f"`uv pip install {missing.replace('_', '-')}`, or add its folder to `dependencies`"
        raise UnusableFile(f"{spec.place} needs the package {missing}: {remedy}") from error
    except (Exception, SystemExit) as error:
        raise UnusableFile(f"{spec.place}: {spec.source} cannot be imported: {_words(error)}") from error


def _from_file(file: GraphFile, spec: GraphSpec) -> ModuleType:
    """Import the file under the name that LangGraph's server gives it, so that types in a stored state are found again:
    "./src/app.py" is `__src__app`."""
    name = spec.source.replace("/", "__").replace(".py", "").replace(" ", "_").lstrip(".")
    if name in sys.modules:
        return sys.modules[name]
    found: Any = importlib.util.spec_from_file_location(name, file.path.parent / spec.source)
    module = sys.modules[name] = importlib.util.module_from_spec(found)
    try:
        found.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _attribute(module: ModuleType, spec: GraphSpec) -> Any:
    if hasattr(module, spec.attribute):
        return getattr(module, spec.attribute)
    graphs = [name for name, value in vars(module).items() if isinstance(value, (StateGraph, Pregel))]
    hint = f"; it has {', '.join(graphs)}" if graphs else ""
    raise UnusableFile(f"{spec.place}: {spec.source} has no `{spec.attribute}`{hint}")


def _compiled(found: Any, spec: GraphSpec) -> AnyGraph:
    graph = found.compile() if isinstance(found, StateGraph) else found
    if not isinstance(graph, Pregel):
        raise UnusableFile(f"{spec.place}: `{spec.attribute}` is neither a graph nor a function that returns one")
    for inner in (graph, *(each for _, each in graph.get_subgraphs(recurse=True))):
        for channel in getattr(inner, "channels", {}).values():
            if isinstance(channel, DeltaChannel):  # stored whenever it changed: a thread is read from its newest state
                channel.snapshot_frequency = 1
    return graph.copy({"name": spec.name}) if graph.name == UNNAMED else graph


# graphs that are made for each run


def _maker(function: Callable[..., Any], spec: GraphSpec) -> Made:
    """Return the maker of a graph from a config and a runtime. `function` makes it, or a context manager around it. An
    annotation, else the name, identifies each parameter; an unknown one is a config."""
    parameters = inspect.signature(function).parameters.values()
    takes = {each.name: "runtime" if _is_runtime(each) else "config" for each in parameters}
    if len({*takes.values()}) < len(takes):
        why = "a function that returns a graph takes no arguments, `config`, `runtime`, or both"
        raise UnusableFile(f"{spec.place}: {why}")

    @asynccontextmanager
    async def made(**given: Any) -> AsyncIterator[AnyGraph]:
        found = function(**{name: given[kind] for name, kind in takes.items()})
        async with AsyncExitStack() as entered:
            if hasattr(found, "__aenter__"):
                found = await entered.enter_async_context(found)
            elif hasattr(found, "__enter__"):
                found = entered.enter_context(found)
            yield _compiled(await found if inspect.isawaitable(found) else found, spec)

    return made


def _drawn(made: Made, spec: GraphSpec) -> AnyGraph:
    """Return the graph of an empty config, made in its own event loop and thread."""

    async def empty() -> AnyGraph:
        config: JSON = {"configurable": {}, "metadata": {}, "tags": []}
        async with made(config=config, runtime=_runtime("assistants.read", store=InMemoryStore())) as graph:
            return graph

    try:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, empty()).result()
    except UnusableFile:
        raise
    except Exception as error:
        why = f"`{spec.attribute}` returns no graph for an empty config: {_words(error)}"
        raise UnusableFile(f"{spec.place}: {why}") from error


def _is_runtime(parameter: inspect.Parameter) -> bool:
    """Return whether a runtime is wanted. Annotations may be text that names imports for type checkers only."""
    annotation = parameter.annotation
    if annotation is parameter.empty:
        return parameter.name == "runtime"
    return "Runtime" in (annotation if isinstance(annotation, str) else repr(annotation))


def _make(made: Made, config: JSON, store: BaseStore | None, context: Any) -> AbstractAsyncContextManager[AnyGraph]:
    return made(config=config, runtime=_runtime("threads.create_run", store=store, context=context))


def _runtime(access: str, **given: Any) -> Any:
    from langgraph_sdk import runtime  # noqa: PLC0415 - few graphs ask for it

    kind = runtime._ExecutionRuntime if access == "threads.create_run" else runtime._ReadRuntime
    return kind(access_context=cast(Any, access), **given)


# message and reply


def _message_key(graph: AnyGraph, spec: GraphSpec) -> str | None:
    """Return the input key for a message: as configured, `messages`, or the one text that the input needs, such as
    "question"; "" if the whole input is text."""
    schema = input_schema(graph)
    fields: JSON = schema.get("properties", {})
    if spec.message:
        if fields and spec.message not in fields:
            raise UnusableFile(f"{spec.place}: `message` names {spec.message}, but the input has {', '.join(fields)}")
        return spec.message
    if "messages" in fields:
        return "messages"
    if schema.get("type") == "string":
        return ""
    texts = [name for name in schema.get("required", []) if fields[name].get("type") == "string"]
    return texts[0] if len(texts) == 1 else None


def input_schema(graph: AnyGraph) -> JSON:
    """Return the JSON schema of the input, without a reference at its top. If one of its types has no JSON schema, it
    has only the fields' names; if the type cannot be resolved, it is {}."""
    try:
        schema = graph.get_input_jsonschema()
    except (PydanticUserError, TypeError, NameError):  # such as a name that is imported only for type checkers
        return _named_fields(getattr(getattr(graph, "builder", None), "input_schema", None))
    place = schema.get("$ref", "").rpartition("/")[2]
    return schema["$defs"][place] if place else schema


def _named_fields(kind: Any) -> JSON:
    try:
        hints = get_type_hints(kind)
    except (NameError, TypeError):
        return {}
    fields = {name: {"type": "string"} if each is str else {} for name, each in hints.items()}
    return {"properties": fields, "required": [*getattr(kind, "__required_keys__", fields)]}


def _reply(graph: AnyGraph, values: Any) -> Reply:
    """Return the last AI message after the last human one, else the output without messages: unchanged if it is one
    text, else as JSON. The details contain that output."""
    names, output = graph.output_channels, output_of(graph, values)
    rest = {name: each for name, each in output.items() if name != "messages"} if isinstance(output, dict) else output
    details = {"values": _bounded(rest)} if rest else {}
    messages = values.get("messages") if isinstance(values, Mapping) else None
    for each in reversed(messages if isinstance(messages, list) else []):
        if isinstance(each, AIMessage):
            return Reply(text_of(each), details=details)
        if isinstance(each, HumanMessage) and not each.name:  # agents address each other by name: "researcher"
            break
    outer = [] if isinstance(names, str) else [name for name in names if name != "messages"]
    content = rest.get(outer[0]) if len(outer) == 1 else rest
    if not isinstance(content, str):
        content = _json(whole(rest)).decode() if rest or isinstance(names, str) else ""
    return Reply(content.encode()[:REPLY_BYTES].decode(errors="ignore"), details=details)


def output_of(graph: AnyGraph, values: Any) -> Any:
    """Return the part of a state that the graph declares as its output."""
    names = graph.output_channels
    if isinstance(names, str) or not isinstance(values, Mapping):
        return values
    return {name: values[name] for name in names if name in values}


def _bounded(output: Any) -> Any:
    plain = whole(to_jsonable_python(output, fallback=str, bytes_mode="base64", inf_nan_mode="null"))
    size = len(_json(plain))
    return plain if size <= REPLY_BYTES else {"left_out": f"{size} bytes; read the thread's state"}


def _json(value: Any) -> bytes:
    return to_json(value, fallback=str, bytes_mode="base64", inf_nan_mode="null")
