"""`--fix` and `--diff`: apply safe fixes to a policy before a command uses it. Policy files are replaced atomically."""

import codecs
import difflib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TextIO, TypeVar

import click

from acompass.cli.command import print_err, print_out
from acompass.cli.inputs import STANDARD_INPUT
from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import AcompassError, CallError, Diagnostic, FixedText, PolicyError, fix_safely
from acompass.errors.display import count_text, reason_of
from acompass.tables.temporary_files import replace_atomically

if TYPE_CHECKING:
    from acompass.policy import Policy

T = TypeVar("T")

fix = click.option("--fix", is_flag=True, help="Apply the safe fixes to POLICY, then use the fixed policy.")
diff = click.option("--diff", is_flag=True, help="Print the changes of --fix as a diff; write nothing.")


@dataclass(frozen=True, slots=True)
class PolicyFixer:
    """Applies --fix and --diff to the policy of a command."""

    policy: str
    fix: bool
    diff: bool
    quiet: bool = False

    @property
    def takes_standard_output(self) -> bool:
        """Whether the policy or the diff goes to standard output; the report then goes to standard error."""
        return self.diff or (self.fix and self.policy == STANDARD_INPUT)

    @property
    def report_stream(self) -> TextIO:
        return sys.stderr if self.takes_standard_output else sys.stdout

    def print_report(self, text: str) -> None:
        (print_err if self.takes_standard_output else print_out)(text)

    def require_text(self, is_text: bool) -> None:
        """Reject formats other than text if the policy or the diff is written to standard output."""
        if self.takes_standard_output and not is_text:
            option = "--diff" if self.diff else "--fix with POLICY -"
            raise click.UsageError(f"{option} writes to standard output, so the report must be text")

    def perform(
        self,
        read: Callable[[], "Policy"],
        perform: Callable[["Policy"], T],
        findings: Callable[[T], Sequence[Diagnostic]] = lambda _: (),
    ) -> T:
        """Return the result of `perform` for the policy, fixed if requested.

        `findings` returns the diagnostics in a result. Errors that no safe fix removes are raised.
        """
        if not (self.fix or self.diff):
            return perform(read())
        before, name = _read_text(read)
        attempts = _Attempts(name, perform, findings)
        fixed = fix_safely(before, attempts.diagnose)
        self._write_fixed(before, fixed)
        return attempts.outcome()

    def _write_fixed(self, before: str, fixed: FixedText) -> None:
        if self.diff:
            sys.stdout.write(_unified_diff(before, fixed.text, self.policy))
        elif self.policy == STANDARD_INPUT:
            sys.stdout.write(fixed.text)
        elif fixed.applied:
            rewrite_policy(self.policy, fixed.text)
        if fixed.applied and not self.quiet:
            done = "would fix" if self.diff else "fixed"
            print_err(f"{done} {count_text(fixed.applied, 'mistake')} in {self.policy}")


class _Attempts(Generic[T]):
    """Runs a command on successive versions of a policy, and keeps the last outcome."""

    def __init__(self, name: str, perform: Callable[["Policy"], T], findings: Callable[[T], Sequence[Diagnostic]]):
        self._name = name
        self._perform = perform
        self._findings = findings
        self._last: T | AcompassError

    def diagnose(self, text: str) -> Sequence[Diagnostic]:
        from acompass.policy import parse_file

        try:
            result = self._perform(parse_file(text, self._name))
        except AcompassError as error:
            self._last = error
            return error.diagnostics if error.source == text else ()
        self._last = result
        return self._findings(result)

    def outcome(self) -> T:
        if isinstance(self._last, AcompassError):
            raise self._last
        return self._last


def _read_text(read: Callable[[], "Policy"]) -> tuple[str, str]:
    """Return the text and the name of a policy, even if it does not parse."""
    try:
        policy = read()
    except PolicyError as error:
        if error.source is None or error.name is None:
            raise
        return error.source, error.name
    return policy.text, policy.name


def _unified_diff(before: str, after: str, name: str) -> str:
    lines = difflib.unified_diff(_diff_lines(before), _diff_lines(after), name, name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _diff_lines(text: str) -> list[str]:
    """Split only at line feeds, as `patch` does. The last line may lack one."""
    *lines, last = text.split("\n")
    return [*(f"{line}\n" for line in lines), *([last] if last else [])]


def rewrite_policy(path: str, text: str) -> None:
    """Replace the text of a policy file, and keep its byte order mark, which is not part of the text."""
    try:
        mark = codecs.BOM_UTF8 if Path(path).read_bytes().startswith(codecs.BOM_UTF8) else b""
        with replace_atomically(path) as part:
            Path(part).write_bytes(mark + text.encode())
    except OSError as error:
        message = f"cannot write policy `{path}`: {reason_of(error)}"
        help_ = "give `-` as the policy to read standard input and write standard output"
        raise CallError([Diagnostic("AC491", message, help=help_)]) from None
