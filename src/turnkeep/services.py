"""The services of a running deployment; importing this module loads none of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langgraph.store.base import BaseStore

    from turnkeep.records import Principal
    from turnkeep.settings import Settings
    from turnkeep.store.attachments import Attachments
    from turnkeep.store.cleanup import Cleanup
    from turnkeep.store.export import Exports
    from turnkeep.store.store import Store
    from turnkeep.store.users import UserEraser
    from turnkeep.turns import Turns
    from turnkeep.turns.background import Runs


@dataclass(frozen=True)
class Services:
    settings: "Settings"
    store: "Store"
    turns: "Turns"
    runs: "Runs"
    cleanup: "Cleanup"
    attachments: "Attachments"
    exports: "Exports"
    user_eraser: "UserEraser"
    stores: "Callable[[Principal], BaseStore]"  # memory across threads
