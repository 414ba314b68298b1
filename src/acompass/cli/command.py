"""A command as Click has it, with help that cuts nothing and shows examples as they are."""

import sys

import click


class Command(click.Command):
    """Its epilog is examples, one a line."""

    def get_short_help_str(self, limit: int = sys.maxsize) -> str:
        """The whole sentence, whatever the limit: the list of commands wraps it."""
        return super().get_short_help_str(sys.maxsize)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Not wrapped, so that an example can be copied."""
        with formatter.section("Examples"):
            for example in (self.epilog or "").splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")
