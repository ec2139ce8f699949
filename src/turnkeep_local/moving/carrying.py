"""What another saver stored, read without the code that it was made with: values of types that LangGraph does not list
as harmless stay packed as they are, and are stored again so. A graph that knows them unpacks them."""

import ormsgpack
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_TYPES
from langgraph.checkpoint.serde.jsonplus import EXT_PYDANTIC_V2, JsonPlusSerializer

from turnkeep.storage.elements import SERIALISER


class Carrying(JsonPlusSerializer):
    """Strict, but loses nothing: what it may not make is an `ormsgpack.Ext`."""

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=None, pickle_fallback=False)

    def loads_typed(self, data: tuple[str, bytes]) -> object:
        """Raises NotImplementedError for what was pickled, ValueError for what cannot be read."""
        kind, packed = data
        if kind != "msgpack":
            return super().loads_typed((kind, packed))
        return ormsgpack.unpackb(packed, ext_hook=_carried, option=ormsgpack.OPT_NON_STR_KEYS)


def _carried(code: int, packed: bytes) -> object:
    extension = ormsgpack.Ext(code, packed)
    if types_in(code, packed) <= SAFE_MSGPACK_TYPES:
        return SERIALISER.loads_typed(("msgpack", ormsgpack.packb(extension)))
    return extension


def types_in(code: int, packed: bytes) -> set[tuple[str, ...]]:
    """Module and name of each type in a packed value, however deep; arrays and snapshots count by their code."""
    if code > EXT_PYDANTIC_V2:
        return {("langgraph", f"extension {code}")}
    found: set[tuple[str, ...]] = set()

    def look(inner: int, content: bytes) -> None:
        found.update(types_in(inner, content))

    module, name, *_ = ormsgpack.unpackb(packed, ext_hook=look, option=ormsgpack.OPT_NON_STR_KEYS)
    return found | {(module, name)}
