"""The single-table layout: keys, their order, and the expiry rule. No other module builds keys. A partition contains
one thread, in the order of the sort key:

    ASIDE#...                                   read by exact key only: details, a long pending message
    CP#<checkpoint id>#<writer>                 ids ascend, so the newest is last; pending writes follow theirs
    HEAD                                        the authority
    PACK#<key of its newest link>               older links, compressed together; a copy, never the only one
    TURN#<inverse gen>#<inverse n>.<seq>-<writer>   the newest generation and the newest turn are first

So one Query reads the newest checkpoint, HEAD and a window of turns. Keys name their writer, so two writers, or two
threads with one id, never write the same key."""

import json
import re
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from urllib.parse import quote
from zlib import crc32

from turnkeep.errors import InvalidId, InvalidRequest
from turnkeep.records import Principal

HEAD = "HEAD"
LAYOUT = 2  # of every item, as `v`: items of another layout raise StateCorrupt and are left unchanged
OTHER_LAYOUT = "Another version of this service stored it in another layout. It is left unchanged."
SHARDS = 16
MAX_THREAD_DAYS = 30
ITEM_DAYS = MAX_THREAD_DAYS + 1
CLOCK_ERROR_MS = 5_000  # between two machines: milliseconds on Lambda, a second or two on a laptop under NTP
BY_USER, BY_EXPIRY = "by_user", "by_expiry"
INDEX_KEYS = {BY_USER: ("u", "la"), BY_EXPIRY: ("xh", "PK")}  # the attributes of their hash and sort keys
WATERMARK = {"PK": "CLEANUP", "SK": "WATERMARK"}
API_KEYS = "APIKEYS"  # partition of all API keys; those of threads begin with `T#`, whatever the tenant
TURNS, EVERY_TURN = "TURN#", "TURN#~"  # the second sorts just after the turns of all generations
CHECKPOINTS, SPACES, RUNS, PII, DOCUMENTS, PACKS = "CP#", "ASIDE#NS#", "ASIDE#RUN#", "ASIDE#PII#", "ASIDE#DOC#", "PACK#"
"""Key prefixes of each kind of item in a thread."""

_WELL_FORMED = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MAX_USER_KEY_BYTES = 1024 - 1 - 64  # a partition key is the sort key of the expiry index too, which takes 1024
_LAST_TURN = _LAST_GENERATION = 99_999_999
_WRITE = "#W#"


def new_item(pk: str, sk: str, ttl: int, **attributes: Any) -> dict[str, Any]:
    """Return an item of this layout; `ttl` in epoch seconds."""
    return {"PK": pk, "SK": sk, "v": LAYOUT, "ttl": ttl, **attributes}


def is_well_formed(name: str) -> bool:
    return _WELL_FORMED.fullmatch(name) is not None


def user_key(principal: Principal) -> str:
    """Return the hash key of a user's threads in the index, which is unique to the principal."""
    return f"T#{quote(principal.tenant, safe='')}#U#{quote(principal.user, safe='')}"


def is_storable(principal: Principal) -> bool:
    """Return whether both names are set and every thread of this principal can have a key."""
    try:
        key = user_key(principal)
    except UnicodeEncodeError:
        return False
    return bool(principal.tenant and principal.user) and len(key) <= _MAX_USER_KEY_BYTES


def partition(principal: Principal, thread_id: str) -> str:
    """Return the partition key of a thread. Raises InvalidId."""
    if not is_well_formed(thread_id):
        raise InvalidId
    return f"{user_key(principal)}#{thread_id}"


def thread_of(pk: str) -> str:
    return pk.rpartition("#")[2]


def checkpoint_name(checkpoint_id: str, writer: str) -> str:
    """Return the name of a stored checkpoint in HEAD, links and keys."""
    return f"{checkpoint_id}#{writer}"


def id_in(name: str) -> str:
    return name.partition("#")[0]


def checkpoint_key(name: str) -> str:
    return f"{CHECKPOINTS}{name}"


def without_writer(sk: str) -> str:  # up to its id
    return "#".join(sk.split("#")[: 4 if sk.startswith(SPACES) else 2])


def space_key(namespace: str, name: str) -> str:
    return f"{SPACES}{quote(namespace, safe=':|')}#{name}"


def write_key(checkpoint_sk: str, task_id: str, slot: str) -> str:  # sorts right after the checkpoint
    return f"{checkpoint_sk}{_WRITE}{quote(task_id, safe='')}#{slot}"


def is_write(sk: str) -> bool:
    return _WRITE in sk


def checkpoint_of(sk: str) -> str:  # any key but a write's is its own
    return sk.partition(_WRITE)[0]


def part_key(sk: str, part: int) -> str:  # of a value too large for its item, without an object store
    return f"ASIDE#PART#{sha256(sk.encode()).hexdigest()}#{part:04d}"


def turn_key(generation: int, number: int, seq: int, owner: bytes) -> str:
    """Return the key of a turn. It names the owner, as `seq` restarts if a deleted thread's id is reused."""
    return f"{turn_floor(generation, number)}.{seq:08d}-{owner[:4].hex()}"


def writer_of(turn_sk: str) -> str:  # ascends with `seq`
    return turn_sk.rpartition(".")[2]


def turn_floor(generation: int, number: int) -> str:  # sorts just before every item of this turn
    return f"TURN#{_LAST_GENERATION - generation:08d}#{_LAST_TURN - number:08d}"


def turn_ceiling(generation: int, number: int) -> str:  # sorts just after every item of this turn
    return f"{turn_floor(generation, number)}~"


def generation_of(turn_sk: str) -> int:
    return _LAST_GENERATION - int(turn_sk[5:13])


def number_of(turn_sk: str) -> int:
    return _LAST_TURN - int(turn_sk[14:22])


def pack_key(tip: str) -> str:  # its newest link, which names its writer; all packs of one tip are equal
    return f"{PACKS}{tip}"


def details_key(turn_sk: str) -> str:
    return f"ASIDE#{turn_sk}"


def message_key(incarnation: bytes) -> str:  # a pending message too long for HEAD
    return f"ASIDE#MESSAGE#{incarnation.hex()}"


def run_key(run_id: str, incarnation: bytes) -> str:  # of a queued run
    return f"{RUNS}{run_id}#{incarnation.hex()}"


def done_key(run_sk: str) -> str:  # once the run has made its turn
    return f"ASIDE#DONE#{run_sk.removeprefix(RUNS)}"


def run_of(sk: str) -> tuple[str, bytes]:  # run id and incarnation id, of either key
    return sk.split("#")[2], bytes.fromhex(sk.split("#")[3])


def log_key(run_id: str, incarnation: bytes, *place: int) -> str:  # by attempt and first event; without, a prefix
    return ".".join([f"ASIDE#LOG#{run_id}#{incarnation[:4].hex()}", *(f"{part:08d}" for part in place)])


def action_key(incarnation: bytes, origin: bytes, name: str, key: str) -> str:
    """Return an action's key: a digest of incarnation id, the key of the run's first turn, and its own name and key."""
    parts = json.dumps([incarnation.hex(), origin.hex(), name, key])
    return f"ASIDE#ACTION#{sha256(parts.encode()).hexdigest()[:32]}"


def pii_key(source: str, part: int) -> str:  # one part of the placeholders of a turn or document
    return f"{PII}{source}.{part:02d}"


def document_key(document_id: str) -> str:
    return f"{DOCUMENTS}{document_id}"


def document_of(sk: str) -> str | None:
    """Return the id of the document that this item describes; None for other items, even its text."""
    return sk.removeprefix(DOCUMENTS) if sk.startswith(DOCUMENTS) else None


def text_key(document_id: str, part: int) -> str:  # one part of a document's text
    return f"ASIDE#TEXT#{document_id}#{part:02d}"


def upload_key(pk: str, document_id: str) -> str:  # of a file until it has been read
    return f"uploads/{sha256(pk.encode()).hexdigest()}/{document_id}"


DEPLOYMENT_USAGE = "USAGE#DEPLOYMENT"  # partition of the usage of all users together, one item a day


def usage_of(user: str) -> str:
    """Return the partition of a user's usage, one item a day. It does not contain the user's name."""
    return f"USAGE#{sha256(user.encode()).hexdigest()}"


ERASURE = "ERASURE"  # in the partition named by a user's key: the user's data is being erased


def exports_of(user: str) -> str:
    """Return the key prefix of a user's exports, which reveals nothing about the user."""
    return f"exports/{sha256(user.encode()).hexdigest()}/"


_MEMORY_ITEMS = "ITEM#"


def memory_of(user: str) -> str:
    """Return the partition of a user's memory across threads. It does not contain the user's name."""
    return f"STORE#{sha256(user.encode()).hexdigest()}"


def memory_prefix(namespace: tuple[str, ...]) -> str:
    """Return the key prefix of a namespace and all below: ("a",) does not match ("ab",). Raises InvalidRequest."""
    return _checked(_MEMORY_ITEMS + "".join(f"{_escaped(label)}/" for label in namespace))


def memory_item(namespace: tuple[str, ...], key: str) -> str:
    """Return a key that contains namespace and key: ("a", "b") and "c" are `ITEM#a/b//c`. Raises InvalidRequest."""
    return _checked(f"{memory_prefix(namespace)}/{_escaped(key)}")


def place_of(sk: str) -> tuple[tuple[str, ...], str]:
    labels, _, key = sk.removeprefix(_MEMORY_ITEMS).rpartition("/")
    return tuple(map(_read, labels.split("/")[:-1])), _read(key)


def _checked(sk: str) -> str:
    try:
        size = len(sk.encode())
    except UnicodeEncodeError:
        raise InvalidRequest("Namespace and key must be valid Unicode, without lone surrogates.") from None
    if size > 1024:
        raise InvalidRequest("Namespace and key must have at most 1,000 bytes of UTF-8 together.")
    return sk


def _escaped(label: str) -> str:
    return label.replace("%", "%25").replace("/", "%2F")


def _read(label: str) -> str:
    return label.replace("%2F", "/").replace("%25", "%")


def day(at_ms: int) -> str:  # such as 2026-11-23
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d")


def next_day(at_ms: int) -> int:  # epoch milliseconds
    return (at_ms // 86_400_000 + 1) * 86_400_000


def object_key(pk: str, sk: str) -> str:  # a digest: it reveals nothing of its thread
    return f"{objects_of(pk)}{sha256(sk.encode()).hexdigest()}"


def objects_of(pk: str) -> str:  # a prefix
    return f"blobs/{sha256(pk.encode()).hexdigest()}/"


def expiry(now_ms: int, created_ms: int, thread_hours: float, life_ms: int | None = None) -> int:
    """Return when a thread whose last turn is now expires, in epoch milliseconds. `life_ms` is its own, if shorter."""
    longest = int(thread_hours * 3_600_000)
    return min(now_ms + min(longest, life_ms or longest), created_ms + MAX_THREAD_DAYS * 86_400_000)


def item_ttl(created_ms: int) -> int:
    """Return DynamoDB's TTL in epoch seconds: a fallback after any expiry, so a living thread stays whole."""
    return created_ms // 1000 + ITEM_DAYS * 86_400


def hour(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H")


def begin_of(name: str) -> int:  # epoch milliseconds
    return int(datetime.strptime(name, "%Y-%m-%dT%H").replace(tzinfo=UTC).timestamp() * 1000)


def expiry_bucket(at_ms: int, pk: str) -> str:
    """Return the hash key of the expiry index: the hour in which a thread is checked, spread over shards."""
    return f"{hour(at_ms)}#{crc32(pk.encode()) % SHARDS:02d}"
