import pytest

from profiled import layer_of

LOOP = "/python3.13/asyncio/events.py"
SERVER = "/site-packages/uvicorn/server.py"


@pytest.mark.parametrize(
    ("files", "layer"),
    [
        (["/benchmarks/six_nodes.py", "/site-packages/langgraph/pregel/main.py", LOOP, SERVER], "nodes"),
        (["/python3.13/copy.py", "/src/turnkeep/storage/checkpoints.py", LOOP], "storage"),
        (["/site-packages/pydantic/main.py", "/site-packages/langchain_core/messages/ai.py"], "LangGraph"),
        (
            ["/python3.13/json/encoder.py", "/site-packages/botocore/serialize.py", "/src/turnkeep/storage/items.py"],
            "boto",
        ),
        ([LOOP, SERVER, "/src/turnkeep_local/server.py"], "event loop"),
        (["/python3.13/runpy.py"], "rest"),
    ],
)
def test_a_sample_belongs_to_the_innermost_layer_and_a_library_to_its_caller(files: list[str], layer: str) -> None:
    assert layer_of(files) == layer
