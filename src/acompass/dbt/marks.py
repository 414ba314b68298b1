"""The first line of each file that is written, by which a later call knows it."""

import re
from dataclasses import dataclass

_MARK = re.compile(r"(?:--|#) written by `acompass dbt`: policy (\w+), model (\w+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Mark:
    """`policy` and `tested` are identifiers."""

    policy: str
    tested: str

    def line(self, comment: str) -> str:
        return f"{comment} written by `acompass dbt`: policy {self.policy}, model {self.tested}\n"


def mark_of(text: str) -> Mark | None:
    """The mark of a file; None if it was not written here."""
    found = _MARK.match(text)
    return None if found is None else Mark(*found.groups())
