"""A block of commands, each with what it prints below it."""

from collections.abc import Callable, Iterator

from tests.docs.matching import matches

PROMPT = "$ "


def played(content: str, run: Callable[[str], str]) -> str:
    """The block as it is once its commands have run; what matches stays as it is written."""
    return "".join(
        command + (shown if matches(shown, printed) else _ended(printed))
        for command, shown in _sessions(content)
        for printed in [run(command.removeprefix(PROMPT))]
    )


def _sessions(content: str) -> Iterator[tuple[str, str]]:
    """Commands, over several lines where these end in a backslash, with the output below."""
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
