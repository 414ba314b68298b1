"""Ask every question in `benchmarks/questions` and write the answers into docs/performance.md.

    python -m benchmarks.performance [NAME …]

With names, ask only those questions and write only their rows.
RECORDS sets the size of the large tables (default 20,000,000), BIG=1 adds the question with 100,000,000
records, and DATA is a folder for the generated tables. Exit with 1 if a target is missed.
"""

import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.question import Answer, Question, Setting
from benchmarks.questions import QUESTIONS

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
BEGIN, END = "<!-- begin: written by `make bench` -->", "<!-- end -->"
HEADER = "| question | measured | to reach | met | peer and size |\n| --- | --- | --- | --- | --- |\n"


def main(names: Sequence[str]) -> int:
    known = [question.name for question in QUESTIONS]
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"no such question: {', '.join(unknown)}; known: {', '.join(known)}")
    chosen = [q for q in QUESTIONS if not names or q.name in names]
    with tempfile.TemporaryDirectory(prefix="acompass-bench-") as made:
        folder = Path(os.environ.get("DATA", made))
        folder.mkdir(parents=True, exist_ok=True)
        setting = Setting(folder, int(os.environ.get("RECORDS", "20000000")), os.environ.get("BIG") == "1")
        answers = [(question, _ask_and_print(question, setting)) for question in chosen]
    write_page([(question, answer) for question, answer in answers if answer is not None])
    return 0 if all(answer is None or q.met(answer.value) for q, answer in answers) else 1


def _ask_and_print(question: Question, setting: Setting) -> Answer | None:
    answer = question.ask(setting)
    shown = "not asked without BIG=1" if answer is None else row(question, answer)
    sys.stdout.write(f"{question.name}: {shown}\n")
    sys.stdout.flush()
    return answer


def row(question: Question, answer: Answer) -> str:
    met = "yes" if question.met(answer.value) else "no"
    measured = f"{answer.value:,.2f} {answer.unit}"
    return f"| {question.text} | {measured} | {question.target} | {met} | {answer.note} |"


def write_page(answers: Sequence[tuple[Question, Answer]]) -> None:
    """Replace the rows of these questions between the marks, and keep the rest of the page."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    written, _, after = rest.partition(END)
    rows = {question.text: _find_row(question, written) for question in QUESTIONS}
    rows |= {question.text: row(question, answer) for question, answer in answers}
    table = "\n".join(line for line in rows.values() if line is not None)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    PAGE.write_text(f"{before}{BEGIN}\n\n{machine}\n\n{HEADER}{table}\n\n{END}{after}")


def _find_row(question: Question, table: str) -> str | None:
    return next((line for line in table.splitlines() if line.startswith(f"| {question.text} |")), None)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
