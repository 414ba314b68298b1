"""Facts about the table that a policy is written for."""

from acompass.measures import ColumnFacts
from acompass.session import Session


def table_facts(session: Session) -> tuple[ColumnFacts, ...]:
    """What is known about each column, in the order of the table. Values of few records are withheld.

    Nothing is known about a table of a server.
    """
    return session.column_facts() if session.is_local else ()


def record_count(session: Session) -> int:
    return session.records()
