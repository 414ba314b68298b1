"""The table that the policy would release, in a file that lasts as long as it is measured."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from acompass.assist.requirements import SEED
from acompass.leftovers import temporary_folder
from acompass.options import DatesArgument
from acompass.result import Result
from acompass.session import Session
from acompass.studio.asking import Ask
from acompass.studio.studio import Studio
from acompass.tables.source import is_parquet

#: a policy that changes nothing, whatever the columns are
_UNCHANGED = "EACH PROCESS COUNT(*) AS n : n >= 0;"


@dataclass(frozen=True, slots=True)
class Released:
    """`before` and `after` are files. They have the same format, so that values compare as text. `dates` are
    the formats of local dates before; those after are ISO dates (D28)."""

    before: str
    dates: DatesArgument
    after: str
    result: Result


@contextmanager
def released(ask: Ask, session: Session) -> Iterator[Released]:
    """Also of a policy with a violated check: its panels show why it would not be released."""
    with temporary_folder() as folder:
        after = str(Path(folder, f"after{suffix_of(ask.studio)}"))
        result = session.run(ask.policy, params=ask.used, seed=SEED, output=after, force=True)
        yield Released(*_before(ask.studio, session, folder), after, result)


def suffix_of(studio: Studio) -> str:
    return ".parquet" if is_parquet(studio.start.table) else ".csv"


def _before(studio: Studio, session: Session, folder: str) -> tuple[str, DatesArgument]:
    if studio.desk.sample is None:
        return studio.start.table, studio.start.dates
    path = str(Path(folder, f"before{suffix_of(studio)}"))
    session.run(_UNCHANGED, output=path)
    return path, ()
