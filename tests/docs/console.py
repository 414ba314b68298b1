"""A block of commands, each followed by its output."""

from collections.abc import Callable, Iterator

from tests.docs.matching import matches

PROMPT = "$ "


def played(content: str, run: Callable[[str], str]) -> str:
    """The block with the actual output of its commands; output that matches stays as written."""
    return "".join(
        command + (shown if matches(shown, printed) else _ended(printed))
        for command, shown in _sessions(content)
        for printed in [run(command.removeprefix(PROMPT))]
    )


def _sessions(content: str) -> Iterator[tuple[str, str]]:
    """Each command with its output; a command continues after a line that ends in a backslash."""
    lines = content.splitlines(keepends=True)
    assert lines, "a block of commands without one"
    while lines:
        command = lines.pop(0)
        assert command.startswith(PROMPT), f"not a command: {command}"
        while command.endswith("\\\n"):
            command += lines.pop(0)
        shown = ""
        while lines and not lines[0].startswith(PROMPT):
            shown += lines.pop(0)
        yield command, shown


def _ended(text: str) -> str:
    return text if text.endswith("\n") or not text else text + "\n"
