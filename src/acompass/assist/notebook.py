"""`%%acompass` in a notebook: run the policy in a cell on a data frame, and show the answer below.

Only `%load_ext acompass` imports this module, because the package does not depend on IPython."""

import difflib
import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from keyword import iskeyword
from typing import Any, NoReturn, Protocol

from IPython.core.error import UsageError

from acompass import api
from acompass.arguments import is_file
from acompass.errors.diagnostics import AcompassError, CallError, Diagnostic, spelled_by
from acompass.errors.display import Answer
from acompass.language.program.constants import parse_settings
from acompass.options import Opening, command_line_spelling
from acompass.policy import Policy, parse
from acompass.result import Result
from acompass.tables.source import find_paths

#: alternatives to a run, with their help
_OTHERS = {
    "check": "Check every assertion and perform no action.",
    "plan": "Show what a run would do.",
    "prove": "Prove the assertions for every table; needs no table.",
}
#: options that apply only to some commands
_EFFECTIVE = {
    "out": ("run",),
    "force": ("run",),
    "seed": ("run", "plan"),
    "seed_file": ("run", "plan"),
    "key_file": ("run", "plan"),
}


class Shell(Protocol):
    """The part of an IPython shell that this module uses."""

    user_ns: dict[str, Any]

    def register_magic_function(self, func: Any, magic_kind: str, magic_name: str) -> None: ...


class CellError(AcompassError):
    """An error in a cell. IPython shows its diagnostics instead of a traceback."""

    def _render_traceback_(self) -> list[str]:
        return str(self).splitlines()


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def load_ipython_extension(shell: Shell) -> None:
    parser = _parser()

    def acompass(line: str, cell: str) -> Answer:
        return _perform(shell, _parse_options(parser, line), cell)

    acompass.__doc__ = parser.format_help()
    shell.register_magic_function(acompass, "cell", "acompass")


def _parser() -> ArgumentParser:
    parser = _Parser("%%acompass", description="Perform the policy in the cell.", add_help=False)
    add = parser.add_argument
    add("table", nargs="?", help="The name of a variable, or the path of a file.")
    add("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE", help="Set a policy parameter.")
    add("--out", metavar="NAME", help="Assign the released table to a variable.")
    add("--result", metavar="NAME", help="Assign the answer to a variable.")
    add("--policy", metavar="NAME", help="Assign the policy to a variable.")
    others = parser.add_mutually_exclusive_group()
    for name, words in _OTHERS.items():
        others.add_argument(f"--{name}", dest="do", action="store_const", const=name, help=words)
    add("--seed", metavar="TEXT", help="The secret seed for RANDOM.")
    add("--seed-file", metavar="FILE", help="A file with the secret seed.")
    add("--key-file", metavar="FILE", help="A file with the secret key for PSEUDONYM and SHIFT.")
    add("--missing", action="append", default=[], metavar="HOW", help="As on the command line.")
    add("--na", action="append", default=[], metavar="TEXT", help="As on the command line.")
    add("--dates", action="append", default=[], metavar="COLUMN=FORMAT", help="As on the command line.")
    add("--engine", metavar="URL", help="The engine; defaults to duckdb.")
    add("--paper", action="store_true", help="Accept only the paper's language.")
    add("--force", action="store_true", help="Assign the table even if it violates the policy.")
    parser.set_defaults(do="run")
    return parser


def _parse_options(parser: ArgumentParser, line: str) -> Namespace:
    """Parse the options, split like a shell does."""
    try:
        given = parser.parse_args(shlex.split(line))
    except ValueError as error:
        raise UsageError(f"the options cannot be read: {error}") from None
    for name, commands in _EFFECTIVE.items():
        if getattr(given, name) and given.do not in commands:
            raise UsageError(f"--{name.replace('_', '-')} has no effect with --{given.do}")
    for name in (given.out, given.result, given.policy):
        if name is not None and (not name.isidentifier() or iskeyword(name)):
            raise UsageError(f"`{name}` is not the name of a variable")
    return given


def _perform(shell: Shell, given: Namespace, cell: str) -> Answer:
    with spelled_by(command_line_spelling), _diagnostics_only():
        policy = parse(cell, "<cell>", given.paper)
        answer = _answer(policy, given, shell.user_ns)
    shell.user_ns.update({name: value for name, value in ((given.policy, policy), (given.result, answer)) if name})
    if given.out and isinstance(answer, Result):
        _assign_table(shell, given, answer)
    return answer


@contextmanager
def _diagnostics_only() -> Iterator[None]:
    try:
        yield
    except AcompassError as error:
        raise CellError(error.diagnostics, error.source, error.name) from None


def _answer(policy: Policy, given: Namespace, variables: Mapping[str, Any]) -> Answer:
    params = parse_settings(given.settings)
    opening = Opening(missing=tuple(given.missing), na=tuple(given.na), dates=tuple(given.dates), engine=given.engine)
    if given.do == "prove":
        table = None if given.table is None else _table(given, variables)
        return api.prove(policy, params=params, table=table, **opening)
    table = _table(given, variables)
    if given.do == "check":
        return api.check(policy, table, params=params, **opening)
    perform = api.plan if given.do == "plan" else api.run
    secrets = {"seed": given.seed, "seed_file": given.seed_file, "key_file": given.key_file}
    return perform(policy, table, params=params, paper=given.paper, **secrets, **opening)


def _table(given: Namespace, variables: Mapping[str, Any]) -> Any:
    """Look for a variable first, then a file, then a table of the engine."""
    name = given.table
    if name is None:
        help_ = "name it after the magic, as in `%%acompass people`"
        raise CallError([Diagnostic("AC411", "no table is given", help=help_)])
    if name in variables:
        return variables[name]
    if given.engine is None and not (is_file(name) or find_paths(name)):
        raise CallError([_no_such_table(name, variables)])
    return name


def _no_such_table(name: str, variables: Mapping[str, Any]) -> Diagnostic:
    own = [variable for variable in variables if not variable.startswith("_")]
    close = difflib.get_close_matches(name, own, n=1)
    meant = f"did you mean `{close[0]}`?" if close else "assign a frame to it first"
    return Diagnostic("AC407", f"`{name}` is neither a variable nor a file", help=meant)


def _assign_table(shell: Shell, given: Namespace, result: Result) -> None:
    if result.ok or given.force:
        shell.user_ns[given.out] = result.table
        return
    if given.out != given.table:  # a later cell must not use the table of an earlier run by mistake
        shell.user_ns.pop(given.out, None)
    sys.stderr.write(f"`{given.out}` not assigned: {result.objection}; use `--force` to assign it anyway\n")
