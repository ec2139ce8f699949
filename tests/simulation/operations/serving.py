"""Requests to the routes of a machine: turns by each protocol, background runs, documents, exports."""

import gzip
import json
import re

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from simulation.kernel import Killed, Violation
from simulation.loops import in_loop
from simulation.model import SLACK, Belonging, number_in
from simulation.operations.graph import AGENT, RUN, GraphRun
from turnkeep import errors
from turnkeep.attachments import Piece
from turnkeep.turns.background import NotDone

WORKER_TRIES, EXPORT_LOOKS, LOST_ANSWERS = 3, 4, 6
BUSY = (errors.ThreadBusy, errors.TurnInProgress, errors.Superseded, errors.ThreadMoved)
BUSY += (errors.RunCancelled, errors.ModelTimeout)
EXPIRED = {"deadline": 1.0}
"""State of a request that has no time left: a worker writes its export."""


class ServingOps:
    def op_serve(self, op, thread, key, *, of=None, pause=0.01, patience=60.0, base=None, acts=False, wire="chat"):
        """A turn. Without a key a retry is known by the id of its message, or by the count of the client's tries."""
        # without a key a body is known by a digest under the signing key: once that is replaced, it is a new request
        wire = wire if wire == "stream" or not self.plan.rotations else "chat"
        message, places = f"m{op.id if wire == 'openai' else of or op.id}", {}
        key = {"langgraph": f"{key}:{message}", "openai": f"{key}:{op.id}"}.get(wire, key)
        base = base if wire in ("chat", "stream") else None

        def work(has, n):
            run = GraphRun(self, op.id * 10 + n, thread, key, pause, base is not None, acts, places)
            answer = getattr(has.http, wire)(run, message, base=base, patience=patience)
            if not self.sim.pick(17) % LOST_ANSWERS:
                raise TimeoutError  # the answer is lost on its way to the client
            return answer

        self.ask_turn(op, work, key, message, busy=BUSY, patience=patience + 40)

    def serve(self, has, attempt_id, thread, key, message):
        return has.http.chat(GraphRun(self, attempt_id, thread, key), message)

    def work_off(self, first, name, work):
        """What a queue does: asks a worker up to three times, one machine after the other."""

        def asks():
            for n in range(WORKER_TRIES):
                machine = self.machines[(first + n) % len(self.machines)]
                try:
                    child = self.sim.child(lambda n=n, has=machine.has: work(has, n), f"work{n}", machine)
                    self.sim.join(child, 90.0)
                    break
                except (NotDone, errors.StoreUnavailable, TimeoutError, Killed):
                    self.sim.sleep((2.0, 31.0)[self.sim.pick(n) & 1])

        self.sim.child(asks, name, None)

    # background runs

    def op_enqueue(self, op, thread, key):
        began, message = self.sim.now, f"m{op.id}"
        self.facts["messages"].setdefault(thread, {"the last"}).add(message)
        body = {"assistant_id": AGENT.name, "input": {"messages": [{"role": "user", "content": message}]}}

        def enqueue(has, _):
            return has.http("POST", f"/threads/{thread}/runs", body, run=op, idempotency_key=key)["run_id"]

        run_id = self.ask(op, enqueue, busy=errors.ThreadBusy, ends=errors.NotFound)
        if isinstance(run_id, str):
            if self.model.heads.get(thread) is None and self.model.ended.get(thread, -1) < began:
                raise Violation("run without a thread", f"{thread} does not exist, and takes {run_id}")
            fact = Belonging(thread, key, self.model.life(thread, began), self.sim.now)
            self.facts["runs"].setdefault(run_id, fact)

    async def launch(self, token):
        op = RUN.get()  # the operation that enqueued it
        count = self.facts["launched"][op.id] = self.facts["launched"].get(op.id, 0) + 1

        def work(has, n):
            attempt_id, pause = (op.id * 10 + count) * 10 + 5 + n, (0.01, 3.0)[op.id & 1]
            run = GraphRun(self, attempt_id, op.args["thread"], op.args["key"], pause)

            async def working():
                RUN.set(run)
                await has.runs.work(token)

            in_loop(self.sim, working())

        self.work_off(op.on, "worker", work)

    def of_runs(self, of):
        """One of the background runs that were accepted: its id, and what is known of it."""
        runs = list(self.facts["runs"].items())
        return runs[of % len(runs)] if runs else (None, None)

    def op_cancel(self, op, of):
        run_id, fact = self.of_runs(of)
        if fact is None:
            return
        began = self.sim.now
        cancel = lambda has, _: (has.http("POST", f"/threads/{fact.thread}/runs/{run_id}/cancel"),)  # noqa: E731
        found = self.ask(op, cancel, tries=1, busy=errors.ThreadBusy, ends=(errors.NotFound, errors.Conflict))
        incarnation = self.model.life(fact.thread, began)
        if isinstance(found, tuple) and incarnation and fact.incarnation == incarnation:
            for attempt in self.model.attempts.values():
                if (attempt.key, attempt.incarnation, attempt.thread, attempt.acked_at) == (
                    fact.key,
                    incarnation,
                    fact.thread,
                    None,
                ):
                    attempt.state = "superseded"

    def op_join(self, op, of):
        """The answer of a run that is joined is the run's."""
        run_id, fact = self.of_runs(of)
        if fact:
            join = lambda has, _: has.http("GET", f"/threads/{fact.thread}/runs/{run_id}/join")  # noqa: E731
            found = self.ask(op, join, tries=1, ends=errors.TurnkeepError)
            if isinstance(found, dict):
                self.model.replayed(fact.thread, fact.key, found["messages"][-1]["content"])

    def op_runs(self, op, thread):
        def check(thread, found, began):
            shown = {each["run_id"]: each["status"] for each in found or ()}
            of_this_life = {id_ for id_, status in shown.items() if status not in ("success", "running")}
            self.model.check_listed(self.facts["runs"], thread, shown, began, of_this_life)

        self.look(op, lambda has: has.http("GET", f"/threads/{thread}/runs?limit=50"), check)

    # documents

    def op_document(self, op, thread):
        """A file is announced, uploaded and read, each by a request of its own."""
        began, announced = self.sim.now, {"name": f"{op.id}.txt", "size": 10}

        def add(has, _):
            added = has.http("POST", f"/threads/{thread}/attachments", announced)
            form = added["upload"]["fields"]
            self.facts["documents"][added["document_id"]] = Belonging(thread, f"{op.id}")
            has.uploads.put(form["key"], form["x-amz-meta-owner"], b"text of a document")
            return added["document_id"], form["key"]

        added = self.ask(op, add, tries=1, ends=(errors.NotFound, errors.TooManyDocuments), name="add")
        if not isinstance(added, tuple):
            return
        fact = self.facts["documents"][added[0]]
        fact.acked, fact.incarnation = self.sim.now, self.model.life(thread, began)

        def read(has, _):
            if claimed := has.attachments.claim(added[1]):
                self.sim.sleep(0.05)
                has.attachments.finish(claimed, [Piece("text of a document")], name=claimed.name, kind="txt")
            has.attachments.drop(added[1])

        self.ask(op, read, tries=2, ends=errors.NotFound, name="read")

    def op_drop_document(self, op, of):
        for name, fact in list(self.facts["documents"].items())[of : of + 1]:
            fact.is_gone = True
            drop = lambda has, _: has.http("DELETE", f"/threads/{fact.thread}/attachments/{name}")  # noqa: B023, E731
            self.ask(op, drop, tries=2, ends=errors.NotFound)

    def op_documents(self, op, thread):
        def check(thread, found, began):
            shown = {each["document_id"] for each in (found or {"attachments": ()})["attachments"]}
            self.model.check_listed(self.facts["documents"], thread, shown, began)

        self.look(op, lambda has: has.http("GET", f"/threads/{thread}/attachments"), check)

    # states and exports

    def op_update(self, op, thread):
        """An edit of the state: a message that no turn made. An export has it too."""
        began, text = self.sim.now, f"edit{op.id}"
        body = {"values": {"messages": [{"role": "user", "content": text}]}}
        update = lambda has, _: has.http("POST", f"/threads/{thread}/state", body)  # noqa: E731
        found = self.ask(op, update, tries=1, busy=BUSY, ends=(errors.NotFound, errors.InvalidRequest))
        if isinstance(found, dict):
            self.facts["edits"][text] = Belonging(thread, text, self.model.life(thread, began), self.sim.now)

    def op_export(self, op, is_late=False):
        """All that is stored, at once or by a worker. Threads are found by an index, which may be behind."""
        began = self.sim.now
        export = lambda has, _: self._exported(has, EXPIRED if is_late else {})  # noqa: E731
        lines = self.ask(op, export, tries=2, ends=errors.NotFound)  # it was erased meanwhile
        since = began - self.plan.lag - SLACK
        for thread in self.threads if isinstance(lines, list) and not self.plan.former else ():
            turns = [line for line in lines if line["type"] == "turn" and line["thread_id"] == thread]
            ids = [number_in(turn["reply"]) for turn in turns if "left" not in turn]
            self.model.check_read(thread, ids or None, since)
            if not any(op.args.get("base") is not None for op in self.plan.ops):  # a branch may leave an edit
                self.model.check_listed(self.facts["edits"], thread, set(re.findall(r"edit\d+", str(lines))), since)

    def _exported(self, has, state):
        found = has.http("GET", "/me/export", state=state)
        for n in range(EXPORT_LOOKS if isinstance(found, dict) else 0):
            self.sim.sleep(2.0 * n + 1)
            found = has.http("GET", found["status_url"])
            if found["status"] == "ready":
                key, counter = (bytes.fromhex(found[name]) for name in ("key", "iv"))
                sealed = self.sim.table.objects.get(found["url"], b"")  # erased meanwhile
                opened = Cipher(algorithms.AES(key), modes.CTR(counter)).decryptor().update(sealed)
                found = [json.loads(line) for line in gzip.decompress(opened).splitlines()]
                break
        is_odd = isinstance(found, list) and any(line["type"] == "unreadable" for line in found)
        if is_odd and not self.model.again and not self.plan.former:
            raise Violation("export unreadable", str(found)[:200])
        return found if isinstance(found, list) else None
