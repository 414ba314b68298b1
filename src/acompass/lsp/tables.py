"""The open tables of all policies. One that has changed on the disk is opened again."""

from collections.abc import Collection
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeAlias

from acompass.arguments import Opening
from acompass.assist.desk import Desk
from acompass.assist.table import table_facts
from acompass.measures import ColumnFacts
from acompass.project import TableRoles, roles_beside
from acompass.tables.source import is_file, matching, stamp

#: the files of a table, with what changes when one is written
State: TypeAlias = tuple[tuple[str, tuple[int, int, int]], ...]


@dataclass(frozen=True)
class OpenTable:
    desk: Desk
    state: State
    facts: dict[str, ColumnFacts]
    roles: TableRoles


@dataclass
class _Slot:
    """The lock is held while the table is opened, which may take long."""

    lock: Lock = field(default_factory=Lock)
    table: OpenTable | None = None


class Tables:
    def __init__(self, opening: Opening | None = None) -> None:
        self._opening: Opening = opening or {}
        self._slots: dict[str, _Slot] = {}
        self._changing = Lock()

    def get(self, path: str) -> OpenTable:
        """The table, opened if necessary. Raise AcompassError if that is impossible."""
        with self._changing:
            slot = self._slots.setdefault(path, _Slot())
        with slot.lock:
            state = file_state(path)
            if slot.table is None or slot.table.state != state:
                _close(slot)
                slot.table = self._opened(path, state)
            return slot.table

    def has(self, path: str) -> bool:
        """Whether the table has been opened."""
        slot = self._slots.get(path)
        return slot is not None and slot.table is not None

    def _opened(self, path: str, state: State) -> OpenTable:
        desk = Desk.open(path, **self._opening)
        try:
            facts = {fact.name: fact for fact in table_facts(desk.session)}
            return OpenTable(desk, state, facts, roles_beside(path))
        except BaseException:
            desk.close()
            raise

    def keep_only(self, paths: Collection[str]) -> None:
        """Close the tables of policies that are no longer open."""
        with self._changing:
            unused = [self._slots.pop(path) for path in list(self._slots) if path not in paths]
        for slot in unused:
            with slot.lock:
                _close(slot)

    def close(self) -> None:
        self.keep_only(())


def _close(slot: _Slot) -> None:
    if slot.table is not None:
        slot.table.desk.close()
        slot.table = None


def file_state(table: str) -> State:
    """Empty for a table of a database."""
    return tuple((path, stamp(path)) for path in matching(table)) if is_file(table) else ()
