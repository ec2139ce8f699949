"""A saver and the API share threads. No acknowledged turn of two writers is lost."""

import asyncio
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.types import Command
from saver_graphs import KEY, LOCAL, Deltas, Open, asking, echo, noting, on, saying

from template_resources import properties_of
from turnkeep.errors import AgentFault, InvalidId, NotFound, StateCorrupt, ThreadBusy
from turnkeep.graphs.agent import Agent
from turnkeep.records import Reply, Turn
from turnkeep.store import keys
from turnkeep.store.opening import table_definition
from turnkeep.store.store import Store
from turnkeep.turns import TurnRequest
from turns_over import turns_over

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

DURABILITIES = ("sync", "async", "exit")


def texts(graph: Any, thread: str) -> list[str]:
    return [message.text for message in graph.get_state(on(thread)).values.get("messages", [])]


def turns_of(store: Store, thread: str) -> list[tuple[str, str, str]]:
    return [(turn.message, turn.reply, turn.status) for turn in store.turns.newest(LOCAL, thread, limit=50)]


def through_api(store: Store, graph: Any, thread: str, message: str) -> Turn:
    """One turn of the API on the thread."""
    agent = Agent(
        "bare", graph.copy({"checkpointer": None}), lambda values: Reply(values["messages"][-1].text), window=None
    )
    wanted = TurnRequest(principal=LOCAL, thread_id=thread, message=message, create=True)

    async def talk() -> Turn:
        return await (await turns_over(store, agent).start(wanted)).finish()

    return asyncio.run(talk())


@pytest.mark.parametrize("durability", DURABILITIES)
def test_each_run_of_a_bare_graph_is_a_turn_of_the_thread(open_saver: Open, store: Store, durability: Any) -> None:
    for number in range(3):
        echo(open_saver()).invoke(saying(f"message {number}"), on("t"), durability=durability)
    assert turns_of(store, "t") == [(f"message {n}", f"saw {2 * n + 1}", "complete") for n in range(3)]
    assert store.threads.read(LOCAL, "t").status == "idle"


@pytest.mark.parametrize("durability", DURABILITIES)
@pytest.mark.parametrize("asks", ["the saver", "the API"])
def test_the_one_answers_what_a_sub_graph_of_the_other_asked(
    open_saver: Open, store: Store, durability: Any, asks: str
) -> None:
    graph = asking(open_saver())
    if asks == "the API":
        assert through_api(store, graph, "t", "weather?").status == "interrupted"
        graph.invoke(Command(resume="Rome"), on("t"), durability=durability)
    else:
        graph.invoke(saying("weather?"), on("t"), durability=durability)
        assert turns_of(store, "t") == [("weather?", "Which city?", "interrupted")]
        assert store.threads.read(LOCAL, "t").status == "interrupted"
        assert through_api(store, graph, "t", "Rome").reply == "Rome it is"
    assert texts(asking(open_saver()), "t") == ["weather?", "Rome it is"]
    said = "" if (asks, durability) == ("the API", "exit") else "Rome"  # which LangGraph keeps from the saver
    assert turns_of(store, "t")[-1] == (said, "Rome it is", "complete")


def test_a_state_without_messages_makes_turns_of_its_json(open_saver: Open, store: Store) -> None:
    for text in ("a", "b"):
        noting(open_saver()).invoke({"last": text}, on("t"))
    assert noting(open_saver()).get_state(on("t")).values == {"notes": ["a", "b"], "last": "b"}
    assert turns_of(store, "t")[1] == ('{"last":"b"}', '{"notes":["a","b"],"last":"b"}', "complete")


def test_a_list_can_become_a_delta_channel(open_saver: Open) -> None:
    for text in ("a", "b"):
        noting(open_saver()).invoke({"last": text}, on("t"))
    for text in ("c", "d"):
        noting(open_saver(), Deltas).invoke({"last": text}, on("t"))
    assert noting(open_saver(), Deltas).get_state(on("t")).values["notes"] == ["a", "b", "c", "d"]


def test_a_run_leases_its_thread_until_it_ends_or_fails(open_saver: Open, store: Store) -> None:
    graph = echo(open_saver(), interrupt_before=["answer"])
    graph.invoke(saying("one"), on("t"), durability="sync")
    with pytest.raises(ThreadBusy):
        through_api(store, graph, "t", "two")
    with pytest.raises(ThreadBusy, match="Another run has leased this thread"):
        echo(open_saver()).invoke(saying("two"), on("t"), durability="sync")
    graph.invoke(None, on("t"), durability="sync")
    assert through_api(store, echo(open_saver()), "t", "two").reply == "saw 3"


def test_a_run_from_an_older_checkpoint_begins_a_branch(open_saver: Open, store: Store) -> None:
    graph = echo(open_saver())
    for text in ("one", "two"):
        graph.invoke(saying(text), on("t"))
    older = next(each for each in graph.get_state_history(on("t")) if len(each.values.get("messages", [])) == 2)
    other = echo(open_saver())
    other.invoke(saying("other"), older.config)
    assert texts(graph, "t") == ["one", "saw 1", "other", "saw 3"]
    assert [message for message, _, _ in turns_of(store, "t")] == ["one", "other"]
    assert len(list(graph.get_state_history(on("t")))) == 12
    other.update_state(older.config, {"messages": [AIMessage("by hand")]})
    assert texts(graph, "t") == ["one", "saw 1", "by hand"]


def test_checkpoints_that_an_older_version_named_by_id_alone_can_be_continued(
    open_saver: Open, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = echo(open_saver())
    with monkeypatch.context() as patch:
        patch.setattr(keys, "checkpoint_name", lambda checkpoint_id, writer: checkpoint_id)
        for text in ("one", "two"):
            through_api(store, graph, "t", text)
    assert store.heads.read(LOCAL, "t").checkpoint == store.heads.read(LOCAL, "t").checkpoint_name
    for durability in ("sync", "exit"):
        echo(open_saver()).invoke(saying(durability), on("t"), durability=durability)
    through_api(store, graph, "t", "three")
    expected = ["one", "saw 1", "two", "saw 3", "sync", "saw 5", "exit", "saw 7", "three", "saw 9"]
    assert texts(echo(open_saver()), "t") == expected
    history = list(graph.get_state_history(on("t")))
    assert [len(each.values["messages"]) for each in history if each.values] == [10, 8, 6, 5, 5, 4, 4, 2]
    graph.invoke(saying("else"), history[-1].config)
    open_saver().prune(["t"])
    assert texts(graph, "t") == ["one", "saw 1", "else", "saw 3"]
    kept = [item["SK"] for item in store.heads.items.below(store.heads.read(LOCAL, "t").pk, keys.CHECKPOINTS)]
    assert [sk for sk in kept if not keys.is_write(sk)] == [f"CP#{store.heads.read(LOCAL, 't').checkpoint_name}"]


def test_a_state_over_400_kb_needs_no_bucket(open_saver: Open, dynamodb: "DynamoDBClient") -> None:
    noise = [secrets.token_hex(100_000) for _ in range(12)]
    for text in noise:
        noting(open_saver()).invoke({"last": text}, on("t"), durability="exit")
    assert noting(open_saver()).get_state(on("t")).values["notes"] == noise
    single = secrets.token_hex(600_000)
    noting(open_saver()).invoke({"last": single}, on("u"))
    assert noting(open_saver()).get_state(on("u")).values["last"] == single


def test_an_expired_thread_is_not_read_and_its_id_can_be_reused(open_saver: Open) -> None:
    now = [time.time()]
    graph = echo(open_saver(clock=lambda: now[0], thread_hours=1))
    graph.invoke(saying("one"), on("t"))
    now[0] += 3601
    assert graph.get_state(on("t")).values == {}
    assert list(graph.checkpointer.list(None)) == []
    graph.invoke(saying("two"), on("t"))
    assert texts(graph, "t") == ["two", "saw 1"]


def test_a_user_cannot_read_threads_of_another(open_saver: Open) -> None:
    echo(open_saver(user="ann")).invoke(saying("one"), on("t"))
    assert open_saver(user="bob").get_tuple(on("t")) is None
    assert [each.config["configurable"]["thread_id"] for each in open_saver(user="ann").list(None, limit=1)] == ["t"]


def test_invalid_input_raises_a_clear_error(open_saver: Open) -> None:
    with pytest.raises(InvalidId):
        open_saver().get_tuple(on("a/b"))
    with pytest.raises(NotFound):
        open_saver().copy_thread("none", "other")
    echo(open_saver()).invoke(saying("one"), on("t"))
    with pytest.raises(StateCorrupt, match="signed with a key that this process does not have"):
        open_saver(seal_key="another key").get_tuple(on("t"))
    with pytest.raises(AgentFault, match="cannot be stored"):
        noting(open_saver()).invoke({"last": iter("generator")}, on("u"), durability="exit")


def test_the_signing_key_is_read_from_the_folder(
    open_saver: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TURNKEEP_HOME", str(tmp_path))
    (tmp_path / "seal.key").write_text(f"2026-11-22 {KEY}\n")
    echo(open_saver(seal_key=None)).invoke(saying("one"), on("t"))
    assert texts(echo(open_saver(seal_key=KEY)), "t") == ["one", "saw 1"]
    monkeypatch.setenv("TURNKEEP_HOME", str(tmp_path / "elsewhere"))
    with pytest.raises(ValueError, match=r"no signing key\. Pass seal_key=, or set SEAL_KEY"):
        open_saver(seal_key=None).get_tuple(on("t"))


def test_setup_creates_the_table_of_the_template(open_saver: Open, dynamodb: "DynamoDBClient") -> None:
    template = properties_of("Table")
    assert table_definition() == {name: template[name] for name in table_definition()}
    assert template["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}
    open_saver().setup()  # what is there stays
    assert KEY  # and the tables of these tests are made so


def test_messages_changed_in_place_after_a_put_are_stored_as_put(open_saver: Open) -> None:
    graph = echo(open_saver())
    message = HumanMessage("before")
    graph.invoke({"messages": [message]}, on("t"))
    message.content = "after"
    graph.invoke(saying("two"), on("t"))
    assert texts(echo(open_saver()), "t")[0] == "before"
