"""A Click command whose help is never cut and shows its examples unwrapped."""

import sys

import click


class Command(click.Command):
    """The epilog holds examples, each on its own line."""

    def get_short_help_str(self, limit: int = sys.maxsize) -> str:
        """The whole sentence; the list of commands wraps it."""
        return super().get_short_help_str(sys.maxsize)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Do not wrap, so that an example can be copied."""
        with formatter.section("Examples"):
            for example in (self.epilog or "").splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")
