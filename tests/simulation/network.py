"""The table, a bucket, and the way to both: how long each call takes, its faults, and the retries of the SDK. A plan
says whether `Direct` sends the first try of each request to the table."""

import json
import re
from base64 import b64encode
from dataclasses import dataclass, field
from types import SimpleNamespace

from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError, ConnectTimeoutError, ReadTimeoutError
from botocore.hooks import HierarchicalEmitter
from urllib3 import HTTPResponse
from urllib3.exceptions import TimeoutError as NoAnswer

from memory_bucket import MemoryBucket
from memory_table import Table, failure
from simulation.kernel import Killed, Violation, mix
from turnkeep.store import direct
from turnkeep.store.keys import LAYOUT

TABLE = "table"
ATTEMPTS, READ_TIMEOUT, CONNECT_TIMEOUT = 3, 3.0, 1.0
MOST_CALLS = 20_000
LATEST_SECONDS = 60.0
FAULTS = ("", "request lost", "answer lost", "packet late", "packet twice", "throttled", "process dies before")
FAULTS += ("process dies after", "stalled", "torn in two", "cut off after it was done", "cut off before it arrives")
NONE, LOST, ANSWER_LOST, LATE, TWICE, THROTTLED, DIES_BEFORE, DIES_AFTER, STALLED, TORN, CUT, STRAY = FAULTS
RETRIED = {LOST: CONNECT_TIMEOUT, ANSWER_LOST: READ_TIMEOUT, LATE: READ_TIMEOUT, THROTTLED: 0.05}
"""The faults after which the SDK asks again, and after how many seconds."""
CUT_OFF = dict.fromkeys((CUT, STRAY), ATTEMPTS * READ_TIMEOUT)
_READS = ("get_item", "query", "batch_get_item", "describe_table", "scan", "get_object", "list_objects_v2")
QUIET = (NONE, 0.001, 0.001, 0.0)
"""A call about which nothing is decided: fault, way out, way back, how much later, in seconds."""


def outcome(call, arguments):
    """What the call returns, or the error that it raises."""
    try:
        return call(**arguments)
    except ClientError as error:
        return error


class Cloud(Table, MemoryBucket):
    """The table together with one bucket of S3."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        MemoryBucket.__init__(self)

    def answer(self, operation, arguments):
        return outcome(getattr(self, operation), arguments)


@dataclass
class Network:
    """`rates`: how often each fault occurs, of 10,000 calls; `aim`, where given, names the only operations that have
    faults. `slow`: the share of ways that take up to seconds.
    With `replay`, decisions are taken from there and none is drawn. `log` collects what happens, where it is a list."""

    seed: int
    rates: dict
    aim: tuple = ()
    slow: float = 0.25
    replay: dict | None = None
    decisions: dict = field(default_factory=dict)
    log: list | None = None
    calls: int = 0

    def decide(self, actor, operation):
        """The fault and the delays of the actor's next call. A run with too many calls ends here."""
        actor.calls += 1
        self.calls += 1
        if self.calls > MOST_CALLS:
            actor.is_dead = True
            actor.sim.violations.append(Violation("does not end", f"{actor.name}: {operation}"))
            raise Killed
        if actor.sim.is_quiet:
            return QUIET
        key = (actor.id, actor.calls)
        found = self._drawn(operation, mix(self.seed, *key)) if self.replay is None else self.replay.get(key, QUIET)
        if found != QUIET:
            self.decisions[key] = found
        return found

    def _drawn(self, operation, drawn):
        bits, fault, left = drawn >> 20, NONE, drawn % 10_000
        for kind, rate in self.rates.items() if not self.aim or operation in self.aim else ():
            if 0 <= left < rate:
                fault = kind
            left -= rate
        longest = LATEST_SECONDS if (bits >> 32) & 1 else 4.0
        return fault, self._way(bits & 0xFFF), self._way((bits >> 12) & 0xFFF), longest * ((bits >> 24) & 0xFF) / 256

    def _way(self, bits):
        """Short in most cases; long enough to cross other calls now and then."""
        share = bits / 4096
        if share < 1 - self.slow:
            return 0.001 + 0.02 * share
        return 0.001 * 10 ** (3.5 * (share - 1 + self.slow) / self.slow)

    def note(self, actor, what, details, fault=NONE):
        if self.log is not None:
            self.log.append((actor.sim.now, actor.name, actor.calls, what, details(), fault))


class Client:
    """A boto3 client of one process."""

    layout = LAYOUT

    def __init__(self, sim):
        self.sim, self.is_dead, self.left = sim, False, {}

    def __getattr__(self, operation):
        return lambda *_, **arguments: self._call(operation, arguments)

    def _call(self, operation, arguments):
        if hasattr(body := arguments.get("Body"), "read"):
            arguments["Body"] = body.read()
        if operation == "transact_write_items" and "ClientRequestToken" not in arguments:
            arguments["ClientRequestToken"] = self.sim.random_bytes(8).hex()  # as botocore does
        fault = CUT
        for _ in range(self.left.pop(self.sim.current, ATTEMPTS)):
            fault, done = self.attempt(operation, arguments)
            if fault in CUT_OFF:
                break
            if isinstance(done, Exception) and fault not in RETRIED:
                raise done
            if fault not in RETRIED:
                return done
        if fault == THROTTLED:
            raise failure(operation, "ThrottlingException")
        raise (ConnectTimeoutError if fault == LOST else ReadTimeoutError)(endpoint_url=TABLE)

    def attempt(self, operation, arguments):
        """The fault of one try, and what the table answers."""
        sim, actor = self.sim, self.sim.current
        if actor is None or actor.is_dead or self.is_dead:
            raise Killed
        fault, _, back, more = decision = sim.network.decide(actor, operation)
        sim.network.note(actor, operation, lambda: described(arguments), fault)
        done = self._sent(actor, operation, arguments, decision)
        sim.sleep({**RETRIED, **CUT_OFF, STALLED: back + 1.5 * more}.get(fault, back))
        return fault, done

    def _sent(self, actor, operation, arguments, decision):
        """What the table answers, an exception included; None where the request does not arrive in time."""
        fault, out, _, more = decision
        if fault == DIES_BEFORE:
            self._die(actor)
        if fault in (LATE, STRAY, TWICE) and operation not in _READS:
            arrives = self.sim.now + more + (out if fault == TWICE else 0)
            self.sim.at(arrives, lambda: self._arrive(actor, operation, arguments, "late"))
        if fault in (LOST, LATE, STRAY, THROTTLED):
            return None
        self.sim.sleep(out)
        done = self._arrive(actor, operation, arguments, torn=more if fault == TORN else None)
        if fault == DIES_AFTER:
            self._die(actor)
        return done

    def _arrive(self, actor, operation, arguments, how="", torn=None):
        table = self.sim.table
        if torn is not None and operation == "batch_write_item":
            done = self._torn_write(*arguments["RequestItems"].items(), torn)
        elif torn is not None and operation == "query" and "IndexName" not in arguments:
            limit = 1 + self.sim.pick(6) % 3
            done = table.answer("query", arguments | {"Limit": min(limit, arguments.get("Limit", limit))})
        else:
            done = table.answer(operation, arguments)
        self.sim.network.note(actor, f"  = {how}", lambda: answered(done))
        return done

    def _torn_write(self, batch, more):
        """Part of a batch is done; the rest is done a moment later, or given back."""
        name, requests = batch
        some = self.sim.pick(3) % (len(requests) + 1)
        self.sim.table.batch_write_item(RequestItems={name: requests[:some]})
        self.sim.sleep(more / 20)
        if self.sim.pick(4) & 1 and some:
            return {"UnprocessedItems": {name: requests[some:]} if requests[some:] else {}}
        return self.sim.table.batch_write_item(RequestItems={name: requests[some:]})

    def _die(self, actor):
        if actor.process:
            actor.process.die(but=actor)
        raise Killed


class Former(Client):
    """The client of a machine with the layout before today's: in all items it gets each layout as the other one."""

    layout = LAYOUT - 1

    def attempt(self, operation, arguments):
        fault, done = super().attempt(operation, exchanged(arguments))
        if isinstance(done, ClientError):
            done.response = exchanged(done.response)
            return fault, done
        return fault, exchanged(done)


_OPERATIONS = {target: name for name, target in direct.OPERATIONS.items()}


class Pool:
    """In the place of urllib3's pool: what `Direct` sends is the first try of the client, which makes the others."""

    def __init__(self, client):
        self.client = client
        self.meta = SimpleNamespace(config=Config(user_agent="simulation"), region_name="", endpoint_url="http://table")
        self.meta.events = SimpleNamespace(_emitter=HierarchicalEmitter())

    @classmethod
    def direct_of(cls, client):
        pool = cls(client)
        found = direct.Direct(pool, Credentials("simulation", "simulation"))
        found._pool = pool
        return found

    def urlopen(self, _method, _path, *, body, headers, **_):
        operation = _OPERATIONS[headers["X-Amz-Target"].rpartition(".")[2]]
        fault, done = self.client.attempt(operation, json.loads(body, object_hook=direct._with_bytes))
        if fault in RETRIED or fault in CUT_OFF:
            self.client.left[self.client.sim.current] = 0 if fault in CUT_OFF else ATTEMPTS - 1
            if fault != THROTTLED:
                raise NoAnswer
            done = failure(operation, "ThrottlingException")
        status = 200
        if isinstance(done, ClientError):
            status, code = done.response["ResponseMetadata"]["HTTPStatusCode"], done.response["Error"]["Code"]
            done = done.response | {"__type": f"com.amazonaws.dynamodb.v20120810#{code}"}
        return HTTPResponse(json.dumps(done, default=lambda value: b64encode(value).decode()).encode(), status=status)


def exchanged(value, name=""):
    if name in ("v", ":v", ":layout"):
        return {"N": {str(LAYOUT): str(LAYOUT - 1), str(LAYOUT - 1): str(LAYOUT)}.get(value["N"], value["N"])}
    if isinstance(value, dict):
        return {name: exchanged(each, name) for name, each in value.items()}
    return [exchanged(each) for each in value] if isinstance(value, list) else value


_SHOWN = re.compile(r"(DeleteRequest|Delete)|'(?:SK|Key|Prefix)': (?:{'S': )?'([^']*)'|Expression': '([^']+)'")


def described(arguments):
    """Keys and expressions of a call, as a schedule shows them."""
    return " ".join(word[:70] for found in _SHOWN.findall(repr(arguments)) for word in found if word)


def answered(done):
    if isinstance(done, ClientError):
        return f"! {done.response['Error']['Code']}"
    return f"{len(done['Items'])} items" if "Items" in done else "item" if "Item" in done else "done"
