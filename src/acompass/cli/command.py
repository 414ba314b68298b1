"""A Click command with examples in its help."""

import sys

import click


class Command(click.Command):
    """The epilog contains one example per line."""

    def get_short_help_str(self, limit: int = sys.maxsize) -> str:
        """The complete first sentence, not cut off; the list of commands wraps it."""
        return super().get_short_help_str(sys.maxsize)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples without wrapping, so that they can be copied."""
        with formatter.section("Examples"):
            for example in (self.epilog or "").splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")
