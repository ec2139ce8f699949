"""The first screen of `turnkeep dev`, with commands to try."""

import json
from typing import TYPE_CHECKING, Any

from turnkeep_local.dynamodb import Store
from turnkeep_local.home import Home

if TYPE_CHECKING:
    from turnkeep.graphs.agent import Agent

_WELCOME = """
Turnkeep listens on {url}     threads: {store}, {home}

  chat page            {url}/
  LangGraph Studio     https://smith.langchain.com/studio/?baseUrl={url}
  LangGraph clients    {url}
  OpenAI clients       {url}/v1
  scripts in here      DynamoDBSaver() and DynamoDBStore() use this store
  API keys are not checked here: any key works.

{commands}
  all routes: {url}/openapi.json        one log line per request: {home}/requests.log        stop: Ctrl-C
"""
_CHAT = """  a turn of {name}, in a new thread "first"
    curl -s URL/chat --json '{{"session_id": "first", "message": "{first}"}}'
  a follow-up; the thread survives restarts and changes of the code
    curl -s URL/chat --json '{{"session_id": "first", "message": "{second}"}}'
  the same with streaming
    curl -sN URL/chat/stream --json '{{"session_id": "first", "message": "And in one sentence?"}}'
"""
_RUN = """  a run of {name}, in a new thread "first"
    curl -s URL/threads/first/runs/wait --json '{body}'
  its state
    curl -s URL/threads/first/state
"""
_EXAMPLES = {"string": "...", "integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}


def welcome(url: str, home: Home, store: Store, commands: str) -> str:
    """Return the screen; `commands` contain URL as a placeholder."""
    return _WELCOME.format(url=url, home=home.path, store=store.name, commands=commands.replace("URL", url))


def chat_commands(name: str, first: str, second: str) -> str:
    return _CHAT.format(name=name, first=first, second=second)


def commands_of(graphs: dict[str, "Agent"]) -> str:
    """Return the commands that try the first of these graphs."""
    if not graphs:
        return "  no graph can be served; fix one of the errors above\n"
    name, graph = next(iter(graphs.items()))
    name += f" (all graphs: {', '.join(graphs)})" if len(graphs) > 1 else ""
    if graph.message is not None:
        return chat_commands(name, "Hello", "What did I say?")
    schema: dict[str, Any] = graph.graph.get_input_jsonschema()
    fields = schema.get("properties", {})
    example = {field: _EXAMPLES.get(fields[field].get("type")) for field in schema.get("required") or fields}
    body = {"assistant_id": next(iter(graphs)), "if_not_exists": "create", "input": example}
    return _RUN.format(name=name, body=json.dumps(body))
