"""Every kind of item and object that keys.py can name is exported and erased, or exempt for a reason that stands here.
A new name in keys.py fails this test until somebody has decided."""

import ast
import inspect

from turnkeep.store import keys

WITHOUT_KEY = """
is_well_formed is_storable is_write new_item thread_of generation_of number_of document_of run_of CLOCK_ERROR_MS
checkpoint_name checkpoint_of id_in without_writer writer_of turn_floor turn_ceiling EVERY_TURN CHECKPOINTS SPACES
RUNS PII DOCUMENTS PACKS TURNS place_of day next_day hour begin_of expiry item_ttl MAX_THREAD_DAYS ITEM_DAYS
expiry_bucket BY_USER BY_EXPIRY SHARDS LAYOUT OTHER_LAYOUT INDEX_KEYS
"""
NO_KEY = {*WITHOUT_KEY.split()}
"""Read keys, bound ranges of them, or name no item."""

PARTITION = "in the partition of a thread, or under its prefix: deleted with it, whatever it says"
WITH_USER = "UserEraser deletes it by the user's key"
NOBODYS = "says nothing of anybody"

type Fate = tuple[str, str]
DECIDED: dict[str, Fate] = {
    # name: how it is exported, how it is erased
    "user_key": ("principal", "the name in every key of a thread goes with the thread; the mark with the last look"),
    "partition": ("thread", PARTITION),
    "HEAD": ("thread", "emptied at once, deleted at the last look"),
    "turn_key": ("turn", PARTITION),
    "details_key": ("turn", PARTITION),
    "pack_key": ("exempt: a copy of turns", PARTITION),
    "message_key": ("thread", PARTITION),
    "run_key": ("run", PARTITION),
    "done_key": ("exempt: of a run that is exported as its turn", PARTITION),
    "log_key": ("exempt: events of a run that is becoming a turn, for minutes", PARTITION),
    "pii_key": ("turn: what it stands for is restored there", PARTITION),
    "checkpoint_key": ("edit: what was put into the state; the rest of it is made of the turns", PARTITION),
    "space_key": ("exempt: the working state of sub-graphs, made of the turns", PARTITION),
    "write_key": ("exempt: of a run that is not over; then a turn", PARTITION),
    "part_key": ("turn", PARTITION),
    "action_key": ("exempt: what a tool gave to its turn, which is exported", PARTITION),
    "document_key": ("document", PARTITION),
    "text_key": ("document", PARTITION),
    "upload_key": ("exempt: read within minutes, then a document", "before the document's item"),
    "object_key": ("turn", PARTITION),
    "objects_of": ("turn", PARTITION),
    "usage_of": ("usage", f"{WITH_USER}; that of today is exempt: it limits, under a digest, and goes by its ttl"),
    **dict.fromkeys(("memory_of", "memory_prefix", "memory_item"), ("memory", WITH_USER)),
    "exports_of": ("exempt: it is the export", WITH_USER),
    "ERASURE": ("exempt: there is nothing left to export beside it", "at the last look"),
    "API_KEYS": (
        "exempt: the operator's, which the api may not read",
        "exempt: the operator's; `turnkeep keys revoke`",
    ),
    "DEPLOYMENT_USAGE": (f"exempt: {NOBODYS}", f"exempt: {NOBODYS}"),
    "WATERMARK": (f"exempt: {NOBODYS}", f"exempt: {NOBODYS}"),
}


def test_each_kind_of_item_has_a_decided_export_and_erasure() -> None:
    tree = ast.parse(inspect.getsource(keys))
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    names = [each for target in targets for each in (target.elts if isinstance(target, ast.Tuple) else [target])]
    found = [each.id for each in names if isinstance(each, ast.Name)]
    found += [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert {name for name in found if not name.startswith("_")} == NO_KEY | DECIDED.keys()
    assert not NO_KEY & DECIDED.keys()


def test_each_exported_kind_is_a_type_of_line() -> None:
    from turnkeep.store import export

    kinds = {
        node.value.elts[0].value
        for node in ast.walk(ast.parse(inspect.getsource(export)))
        if isinstance(node, ast.Yield)
        and isinstance(node.value, ast.Tuple)
        and isinstance(node.value.elts[0], ast.Constant)
    }
    said = {how.split(":")[0] for how, _ in DECIDED.values()} - {"exempt"}
    assert said <= kinds
    assert kinds - said == {"settings", "unreadable", "end"}
