"""Why a question is left open."""

from acompass.prove.effort import require_time


class Undecided(Exception):
    """`line` is None where no line of the policy is to blame."""

    def __init__(self, line: int | None, reason: str):
        self.line = line
        self.reason = reason
        super().__init__(reason)


class Budget:
    """The work that may be spent on one question, so that it ends. It also ends with the time of the call."""

    def __init__(self, limit: int):
        self._limit = limit
        self.spent = 0

    def spend(self, work: int, line: int | None) -> None:
        require_time()
        self.spent += work
        if self.spent > self._limit:
            raise Undecided(line, f"there are more than {self._limit:,} cases to compare")
