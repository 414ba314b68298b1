"""A Click command with examples in its help and a limit for the errors it prints."""

import sys
from typing import Any

import click

from acompass.diagnostics.diagnostic import MOST_SHOWN

_LIMIT = "acompass.max_errors"


class Command(click.Command):
    """The epilog contains one example per line. Every command has the option --max-errors."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.params.append(_max_errors())

    def get_short_help_str(self, limit: int = sys.maxsize) -> str:
        """The complete first sentence, not cut off; the list of commands wraps it."""
        return super().get_short_help_str(sys.maxsize)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples without wrapping, so that they can be copied."""
        with formatter.section("Examples"):
            for example in (self.epilog or "").splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")


def _max_errors() -> click.Option:
    return click.Option(
        ["--max-errors"],
        type=click.IntRange(min=1),
        default=MOST_SHOWN,
        metavar="N",
        expose_value=False,
        callback=_remember,
        help="Print at most N errors or findings.",
    )


def _remember(context: click.Context, _: click.Parameter, most: int) -> None:
    context.meta[_LIMIT] = most


def max_errors() -> int:
    """The limit of the command that is running."""
    context = click.get_current_context(silent=True)
    most: int = MOST_SHOWN if context is None else context.meta.get(_LIMIT, MOST_SHOWN)
    return most
