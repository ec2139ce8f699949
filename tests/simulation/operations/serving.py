"""Requests to the routes of a machine: turns by each protocol, background runs, documents, exports."""

import gzip
import json
import re
from contextlib import suppress
from types import MappingProxyType

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from simulation.kernel import FOREVER, Violation
from simulation.model import BUSY, SLACK, Belonging, number_in
from simulation.operations.graphs import AGENT, RUN, GraphRun, Worker
from simulation.scenarios import Op
from turnkeep import errors
from turnkeep.records import Parsed, Piece
from turnkeep.store.leases import RETRY_MS
from turnkeep.turns.background import NotDone

EXPORT_LOOKS, LOST_ANSWERS = 4, 6
EXPIRED = {"deadline": 1.0}
"""State of a request that has no time left: a worker writes its export."""


class ServingOps:
    def op_serve(self, op, thread, key, *, of=None, pause=0.01, patience=60.0, base=None, acts=False, wire="chat"):
        """A turn. Without a key a retry is known by the id of its message, or by the count of the client's tries."""
        # without a key a body is known by a digest under the signing key, and for 15 minutes by the machine's clock
        is_known = not self.plan.rotations and self.model.spread * 1000 < RETRY_MS
        wire = wire if wire == "stream" or is_known else "chat"
        message, places = f"m{op.id if wire == 'openai' else of or op.id}", {}
        key = {"langgraph": f"{key}:{message}", "openai": f"{key}:{op.id}"}.get(wire, key)
        base = base if wire in ("chat", "stream") else None

        def work(has, n):
            run = GraphRun(self, op.id * 10 + n, thread, key, pause, base is not None, acts, places)
            if wire == "langgraph":
                self.facts["asked"].setdefault(message, run)
                self.facts["order"].setdefault(key, [self.sim.now, FOREVER])
            answer = getattr(has.http, wire)(run, message, base=base, patience=patience)
            if not self.sim.pick(17) % LOST_ANSWERS:
                raise TimeoutError  # the answer is lost on its way to the client
            return answer

        self.ask_turn(op, work, key, message, patience=patience + 40)

    def serve(self, has, attempt_id, thread, key, message):
        return has.http.chat(GraphRun(self, attempt_id, thread, key), message)

    def work_off(self, first, name, work, thread=None):
        """What a queue does: it asks workers, up to three times."""
        job = Op(0, "work", 0.0, first, {"thread": thread})
        self.sim.child(lambda: self.ask(job, work, busy=NotDone), name, None)

    def request(self, op, method, path, body=None, *, headers=MappingProxyType({}), **how):
        """The answer of a route; None for an error that `how` accepts, and without an answer."""
        answer = self.ask(op, lambda has, _: (has.http(method, path, body, **headers),), **{"tries": 1} | how)
        return answer[0] if isinstance(answer, tuple) else None

    # background runs

    def op_enqueue(self, op, thread, key, strategy=None):
        began, message = self.sim.now, f"m{op.id}"
        self.facts["messages"].setdefault(thread, {"the last"}).add(message)
        body = {"assistant_id": AGENT.name, "input": {"messages": [{"role": "user", "content": message}]}}
        body |= {"metadata": {"asked": message}, "multitask_strategy": strategy}
        self.facts["asked"][message] = GraphRun(self, 0, thread, key, (0.01, 3.0)[op.id & 1])
        self.facts["order"][key] = [began, FOREVER]
        how = {"headers": {"run": op, "idempotency_key": key}, "tries": 3, "busy": errors.ThreadBusy}
        if found := self.request(op, "POST", f"/threads/{thread}/runs", body, ends=errors.NotFound, **how):
            if self.model.heads.get(thread) is None and self.model.ended.get(thread, -1) < began:
                raise Violation("run without a thread", f"{thread} does not exist, and takes {found}")
            run = Belonging(thread, key, self.model.life(thread, began), self.sim.now)
            if not strategy or found["metadata"].get("asked") == message:
                self.facts["runs"].setdefault(found["run_id"], run)
            if strategy:
                self.facts["joined"][message] = (thread, found["run_id"])
            self.facts["order"][key][1] = self.sim.now

    async def launch(self, by, token):
        thread = self.model.partitions[by.store.queue.read_token(token)["pk"]]
        count = self.facts["launched"]["n"] = self.facts["launched"].get("n", 0) + 1

        def work(has, _):
            RUN.set(Worker(self))
            self.sim.complete(has.runs.work(token))

        self.work_off(count, "worker", work, thread)

    def drain(self, thread):
        """Whoever looks at a queued run that was forgotten has it executed or reported; none has passed another."""
        http = self.last(thread).http
        with suppress(errors.NotFound):  # it expires meanwhile
            for _ in range(2):
                for run in (left := http("GET", f"/threads/{thread}/runs?limit=50&status=pending")):
                    with suppress(errors.TurnkeepError):
                        http("GET", f"/threads/{thread}/runs/{run['run_id']}/join")
            if left:
                raise Violation("queued run forgotten", f"{thread}: {left}")
        self.check_joined(http, thread)
        ids = self.check_all(thread) or ()
        keys = [self.model.attempts[id_].key for id_ in ids]
        times = [self.facts["order"][key] for key in keys if key in self.facts["order"]]
        is_clear = self.model.spread * 1000 < RETRY_MS  # by a clock far ahead a queued run is given up
        for at, (began, _) in enumerate(times):
            if is_clear and any(accepted < began for _, accepted in times[at + 1 :]):
                raise Violation("queued run passed", f"{thread} shows {ids}")

    def check_joined(self, http, thread):
        """A run that succeeded has each message that joined it, once."""
        joined = {message: run_id for message, (of, run_id) in self.facts["joined"].items() if of == thread}
        is_branched = any(op.args.get("base") is not None for op in self.plan.ops)  # which leaves messages behind
        for message, run_id in {} if is_branched else joined.items():
            with suppress(errors.NotFound):  # the thread has ended
                is_made = http("GET", f"/threads/{thread}/runs/{run_id}")["status"] == "success"
                values = http("GET", f"/threads/{thread}/state")["values"]
                shown = [each["content"] for each in values.get("messages", [])]
                if is_made and shown.count(message) != 1:
                    raise Violation("message not once in the turn of its run", f"{thread} shows {shown}, not {message}")

    def nth(self, kind, of):
        """One of the runs or documents that were accepted, if there are any: its id, and what is known of it."""
        found = list(self.facts[kind].items())
        return [found[of % len(found)]] if found else []

    def op_cancel(self, op, of, action="interrupt"):
        """A run that is over has its turn, or will never have one."""
        for run_id, run in self.nth("runs", of):
            began, path = self.sim.now, f"/threads/{run.thread}/runs/{run_id}"
            how = {"busy": errors.ThreadBusy, "ends": (errors.NotFound, errors.Conflict)}
            is_done = self.request(op, "POST", f"{path}/cancel?action={action}", **how) is not None
            found = self.request(op, "GET", path, **how) if is_done else None
            if found and run.incarnation and self.model.life(run.thread, began) == run.incarnation:
                if number := found["metadata"].get("turn_number"):
                    made = self.request(op, "GET", f"/threads/{run.thread}/turns/{number}", **how)
                    if action == "rollback":
                        raise Violation("rolled back but there", f"{run.thread} has turn {number}")
                    if made and made["reply"]:
                        self.model.replayed(run.thread, run.key, made["reply"])
                for each in self.model.attempts.values():
                    is_of_run = (each.thread, each.key, each.incarnation) == (run.thread, run.key, run.incarnation)
                    if is_of_run and each.acked_at is None:
                        each.state = "superseded"

    def op_join(self, op, of):
        """The answer of a run that is joined is the run's."""
        for run_id, run in self.nth("runs", of):
            path = f"/threads/{run.thread}/runs/{run_id}/join"
            if found := self.request(op, "GET", path, ends=errors.TurnkeepError):
                self.model.replayed(run.thread, run.key, found["messages"][-1]["content"])

    def op_runs(self, op, thread):
        def check(thread, found, began):
            shown = {each["run_id"]: each["status"] for each in found or ()}
            of_this_life = {id_ for id_, status in shown.items() if status not in ("success", "running")}
            self.model.check_listed(self.facts["runs"], thread, shown, began, of_this_life)

        self.look(op, lambda has: has.http("GET", f"/threads/{thread}/runs?limit=50"), check)

    # documents

    def op_document(self, op, thread):
        """A file is announced, uploaded and read, each by a request of its own."""
        began, announced, document = self.sim.now, {"name": f"{op.id}.txt", "size": 10}, Belonging(thread, f"{op.id}")

        def add(has, _):
            added = has.http("POST", f"/threads/{thread}/attachments", announced)
            form = added["upload"]["fields"]
            self.facts["documents"][added["document_id"]] = document
            has.uploads.put(form["key"], form["x-amz-meta-owner"], b"text of a document")
            return form["key"]

        key = self.ask(op, add, tries=1, ends=(errors.NotFound, errors.TooManyDocuments), name="add")
        if not isinstance(key, str):
            return
        document.acked, document.incarnation = self.sim.now, self.model.life(thread, began)

        def read(has, _):
            if claimed := has.attachments.claim(key):
                self.sim.sleep(0.05)
                parsed = Parsed("txt", (Piece("text of a document"),))
                has.attachments.finish(claimed, parsed, name=claimed.name)
            has.attachments.drop(key)

        self.ask(op, read, tries=2, ends=errors.NotFound, name="read")

    def op_drop_document(self, op, of):
        for name, document in self.nth("documents", of):
            document.is_gone = True
            path = f"/threads/{document.thread}/attachments/{name}"
            self.request(op, "DELETE", path, tries=2, ends=errors.NotFound)

    def op_documents(self, op, thread):
        def check(thread, found, began):
            shown = {each["document_id"] for each in found["attachments"]} if found else ()
            self.model.check_listed(self.facts["documents"], thread, shown, began)

        self.look(op, lambda has: has.http("GET", f"/threads/{thread}/attachments"), check)

    # states and exports

    def op_update(self, op, thread):
        """An edit of the state: a message that no turn made. An export has it too."""
        began, text = self.sim.now, f"edit{op.id}"
        body = {"values": {"messages": [{"role": "user", "content": text}]}}
        how = {"busy": BUSY, "ends": (errors.NotFound, errors.InvalidRequest)}
        if self.request(op, "POST", f"/threads/{thread}/state", body, **how):
            self.facts["edits"][text] = Belonging(thread, text, self.model.life(thread, began), self.sim.now)

    def op_export(self, op, is_late=False):
        """All that is stored, at once or by a worker. Threads are found by an index, which may be behind."""
        began = self.sim.now
        export = lambda has, _: self._exported(has, EXPIRED if is_late else {})  # noqa: E731
        lines = self.ask(op, export, tries=2, ends=(errors.NotFound, errors.Superseded))  # erased meanwhile
        since = began - self.plan.lag - SLACK
        for thread in self.threads if isinstance(lines, list) and not self.plan.former else ():
            turns = [line for line in lines if line["type"] == "turn" and line["thread_id"] == thread]
            ids = [number_in(turn["reply"]) for turn in turns if "left" not in turn and turn["reply"]]
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
                content = self.sim.table.objects.get(found["url"], b"")  # erased meanwhile
                opened = Cipher(algorithms.AES(key), modes.CTR(counter)).decryptor().update(content)
                found = [json.loads(line) for line in gzip.decompress(opened).splitlines()]
                break
        if not isinstance(found, list):
            return None
        is_odd = any(line["type"] == "unreadable" for line in found)
        if is_odd and not self.model.again and not self.plan.former:
            raise Violation("export unreadable", str(found)[:200])
        return found
