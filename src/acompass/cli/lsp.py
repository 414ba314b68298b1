"""`acompass lsp`: help in an editor, by the Language Server Protocol."""

import sys
from typing import Unpack

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import exit_codes
from acompass.cli.streams import print_err

EXAMPLES = """\
acompass lsp                                   -- what an editor starts for files *.acp
acompass lsp --missing drop                    -- judge complete records only

Helix, ~/.config/helix/languages.toml:
  [language-server.acompass]
  command = "acompass"
  args = ["lsp"]
  [[language]]
  name = "acompass"
  scope = "source.acompass"
  file-types = ["acp"]
  comment-tokens = ["--"]
  language-servers = ["acompass"]
"""

WAITING = (
    "acompass lsp: waiting for an editor, which sends messages of the Language Server Protocol on standard "
    "input.\n`acompass lsp --help` shows how an editor starts it. Ctrl-C ends it."
)


@click.command(cls=Command, epilog=EXAMPLES)
@click.option("--stdio", is_flag=True, help="Use standard input and output, as always; some editors say so.")
@options.missing
@options.dates
@options.engine
@options.files
@options.memory_limit
def lsp(
    stdio: bool,
    missing: tuple[str, ...],
    dates: tuple[str, ...],
    engine: str | None,
    memory_limit: str | None,
    **files: Unpack[options.FileOptions],
) -> None:
    """Serve an editor: diagnostics with fixes, formatting, outline, hover, completion, definitions and
    renames, and beside each requirement its verdict, affected count and proof.

    The table and the parameters of a policy come from an acompass.toml beside it; the options say how tables
    are read. Without one, everything works that needs no table. Nothing is written, and no value of a record
    is shown.
    """
    with exit_codes():
        from acompass.lsp.requirement import require_pygls

        require_pygls()
        from acompass.arguments import Opening
        from acompass.lsp.features import server_for_editors
        from acompass.lsp.server import Server
        from acompass.lsp.transport import serve

        if sys.stdin.isatty():
            print_err(WAITING)
        opening = Opening(
            engine=engine,
            missing=missing or None,
            dates=dates,
            **files,
            memory_limit=memory_limit,
        )
        sys.exit(serve(server_for_editors(Server(opening))))
