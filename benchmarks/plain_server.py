"""The six-node graph as tutorials serve it: FastAPI, a thread for each request, and a published DynamoDB saver that
writes at the end of a run. A client's repeated request makes another turn. `servers.py` starts it in an environment of
its own: `uvicorn plain_server:app`."""

import os
from pathlib import Path
from typing import Any

import boto3
from fastapi import FastAPI
from langchain_core.messages import HumanMessage
from langgraph_checkpoint_aws import DynamoDBSaver
from pydantic import BaseModel

import six_nodes
from texts import prose

app = FastAPI()
_session = boto3.Session("benchmark", "benchmark", region_name="eu-west-1")
_saver = DynamoDBSaver(
    os.environ["TABLE"],
    session=_session,
    endpoint_url=os.environ["DYNAMODB_URL"],
    enable_checkpoint_compression=True,
    ttl_seconds=24 * 3600,
)
_graph = six_nodes.build(prose(Path(os.environ["SIX_NODES_DATA"]))).compile(checkpointer=_saver)


class Chat(BaseModel):
    session_id: str
    message: str


@app.get("/ok")
def ok() -> dict[str, bool]:
    return {"ok": True}


@app.post("/chat")
def chat(body: Chat) -> dict[str, Any]:
    given = {**six_nodes.new_turn(), "messages": [HumanMessage(body.message)]}
    config: Any = {"configurable": {"thread_id": body.session_id}}
    state = _graph.invoke(given, config, durability="exit")
    return {"reply": state["reply"], "persisted": True}
