"""One version takes over from another and gives it back, as the runbook does it, while 20 clients talk: both read what
either wrote."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from promises import ANNA, FOLLOW_UP, QUESTION, fresh, harness_of
from stack import ROOT, Stack

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

CLIENTS, PAUSE_SECONDS, TALK_SECONDS = 20, 1.0, 3
AT_ONCE = threading.Semaphore(3)
"""Each request at once is a sandbox that starts on the processors of this machine; on AWS each has its own."""
WITH_ALIAS = ("ApiFunction", "StreamFunction")
NEXT = {
    "links.py": ('"turn": record,', '"turn": record | {"mood": "calm"},'),
    "plans.py": ('        changed["expires"] = ', '        changed["mood"] = "calm"\n        changed["expires"] = '),
}
"""One more field in a turn's record and one more attribute of HEAD."""
PROMISED = {(409, "turn_in_progress"), (409, "thread_busy"), (429, "throttled"), (500, "internal_error")}
PROMISED |= {(503, "store_unavailable"), (504, "gateway_timeout")}
"""What tells a client to send the same request again."""


def build_of(folder: Path, changes: dict[str, tuple[str, str]]) -> Path:
    """What is built, with some lines of the package changed; gives its template."""
    shutil.copytree(ROOT / ".aws-sam" / "build", folder, copy_function=shutil.copy2)
    shutil.copytree(ROOT / "layers" / "graphs", folder.parents[1] / "layers" / "graphs", dirs_exist_ok=True)
    storage = folder / "PackageLayer" / "python" / "turnkeep" / "store"
    for name, (before, after) in changes.items():
        text = (storage / name).read_text()
        assert text.count(before) == 1, name
        (storage / name).write_text(text.replace(before, after))
        (storage / "__pycache__" / name.replace(".py", ".cpython-313.pyc")).unlink()
    return folder / "template.yaml"


def live(stack: Stack) -> dict[str, str]:
    """The version behind the alias of each function."""
    client = stack.aws.client("lambda")
    names = {name: stack.function(name) for name in WITH_ALIAS}
    return {
        name: client.get_alias(FunctionName=called, Name="live")["FunctionVersion"] for name, called in names.items()
    }


def point(stack: Stack, versions: dict[str, str]) -> None:
    """As the runbook says under "Back to the last version"."""
    for name, version in versions.items():
        stack.aws.client("lambda").update_alias(FunctionName=stack.function(name), Name="live", FunctionVersion=version)
    assert live(stack) == versions


@dataclass
class Client:
    """Talks in a thread of its own until told to stop, and notes what it was told."""

    http: httpx.Client
    stop: threading.Event
    thread: str = field(default_factory=fresh)
    told: list[str] = field(default_factory=list)

    def __call__(self) -> None:
        while not self.stop.wait(PAUSE_SECONDS):
            self.talk()

    def talk(self) -> None:
        body = {"session_id": self.thread, "message": FOLLOW_UP if self.told else QUESTION}
        once = {"idempotency-key": fresh()}
        turn = self.ask(lambda: self.http.post("/chat", json=body, headers=once))
        self.told.append(turn["reply"])
        again = self.ask(lambda: self.http.post("/chat", json=body, headers=once))
        assert again == turn, "a replay says something else"
        kept = self.ask(lambda: self.http.get(f"/threads/{self.thread}/turns?limit=100"))["turns"]
        assert [each["reply"] for each in kept] == self.told, "what is kept is not what was told"
        assert [each["turn_number"] for each in kept] == list(range(1, len(kept) + 1)), "numbers have gaps"
        found = self.ask(lambda: self.http.post("/threads/search", json={"limit": 100}))
        assert self.thread in {each["thread_id"] for each in found}, "a list misses the thread"

    def ask(self, request: Callable[[], httpx.Response]) -> Any:
        """Repeats what may be repeated."""
        while True:
            with AT_ONCE:
                answer = request()
            if answer.is_success:
                return answer.json()
            assert (answer.status_code, answer.json().get("code")) in PROMISED, answer.text
            time.sleep(PAUSE_SECONDS)


@contextmanager
def talking(stack: Stack) -> Iterator[list[Client]]:
    key, stop = stack.make_key(ANNA.tenant, ANNA.user), threading.Event()
    with ExitStack() as opened, ThreadPoolExecutor(CLIENTS) as pool:
        https = [opened.enter_context(stack.open(**{"x-api-key": key})) for _ in range(CLIENTS)]
        clients = [Client(http, stop) for http in https]
        talks = [pool.submit(client) for client in clients]
        try:
            yield clients
        finally:
            stop.set()
            for talk in talks:
                talk.result()


def test_20_clients_see_only_documented_errors_during_rolling_changes(stack, tmp_path):
    today, later = live(stack), build_of(tmp_path / "next", NEXT)
    with talking(stack) as clients:
        time.sleep(TALK_SECONDS)
        stack.update(template=later)
        after = live(stack)
        assert all(after[name] != today[name] for name in WITH_ALIAS)
        for versions in (today, after):
            time.sleep(TALK_SECONDS)
            point(stack, versions)
        time.sleep(TALK_SECONDS)

    assert all(client.told for client in clients)
    heads = [harness_of(stack, time.time()).head(client.thread) for client in clients]
    assert any("mood" in head for head in heads), "the newer version has written nothing"
