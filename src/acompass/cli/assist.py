"""`acompass studio` and `lsp`: assistance while writing a policy, in the browser and in an editor."""

import signal
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, cast

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_codes, print_err, print_out
from acompass.cli.inputs import STANDARD_INPUT, convert_options, resolve_inputs
from acompass.cli.supervisor import interrupts_within
from acompass.option_groups import Key
from acompass.options import EstimateOnTable, Opening
from acompass.tables.temporary_files import folder_until_exit

if TYPE_CHECKING:
    from acompass.assist.studio.state import Start

STUDIO_EXAMPLES = """\
acompass studio
acompass studio people.csv
acompass studio release
acompass studio release.acp people.csv --set k=5
acompass studio release.acp people.csv --missing drop --no-browser
acompass studio release.acp people.csv --key-file key.txt
acompass studio --install-shortcut
"""


@click.command(cls=Command, epilog=STUDIO_EXAMPLES)
@click.argument("policy", required=False, help="The policy (.acp), which need not exist yet, or a folder.")
@click.argument(
    "table",
    required=False,
    help="A .csv, .csv.gz, .parquet or .xlsx file, or a glob. Defaults to the table in the acompass.toml.",
)
@options.declared(EstimateOnTable, Key, leave_out=("paper", "engine"))
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    metavar="N",
    help="Port to listen on; by default always the same for the same files, if it is free.",
)
@click.option("--no-browser", is_flag=True, help="Print the address without opening a browser.")
@click.option(
    "--population",
    metavar="POP",
    help="The table of the population that the records were sampled from, for journalist risk.",
)
@click.option("--install-shortcut", is_flag=True, help="Add the studio to this user's programs, and exit.")
@click.option("--remove-shortcut", is_flag=True, help="Remove what --install-shortcut wrote, and exit.")
def studio(
    policy: str | None,
    table: str | None,
    port: int | None,
    no_browser: bool,
    population: str | None,
    install_shortcut: bool,
    remove_shortcut: bool,
    **given: Any,
) -> None:
    """Open a table in the browser, and write the policy of its release there.

    Without arguments, opens a page that lists recent projects, the files of the current folder, and an example. With
    only a table, opens the policy of the same name in its folder: people.acp for people.csv. The table can be omitted
    if the acompass.toml names it. A folder opens the only policy of its acompass.toml. The page is reachable only from
    this machine. Ctrl-C ends the studio.
    """
    with exit_codes():
        from acompass.assist.studio import require_studio

        require_studio()
        if install_shortcut or remove_shortcut:
            _change_shortcut(install_shortcut)
            return
        if STANDARD_INPUT in (policy, table):
            raise click.BadParameter("the studio needs files, not standard input")
        from acompass.assist.studio.server import run_studio

        start, folder = _start(policy, table, population, given)
        with run_studio(start, port, folder) as running:
            print_out(running.access.address)
            print_err("Ctrl-C ends the studio")
            if not no_browser:
                _open_browser(running.access.address)
            _wait_for_ctrl_c(running.wait)


def _start(
    policy: str | None, table: str | None, population: str | None, given: dict[str, Any]
) -> "tuple[Start | None, str]":
    """What to open, if anything, and the folder that the start page shows."""
    from acompass.assist.studio.state import Start, resolve_files, setting_text
    from acompass.engines.protocol import key_source, readable_key_text
    from acompass.policy import policies_in

    if policy is None or (table is None and Path(policy).is_dir()):
        folder = policy or "."
        if not (convert_options(given) or population) and (policy is None or len(policies_in(folder)) != 1):
            return None, folder
        policy = folder
    file, own_table = resolve_files(policy, table)
    known = resolve_inputs(file, own_table, given)
    reading = known.options
    params = {name: setting_text(value) for name, value in reading.pop("params").items()}
    key = key_source(None, reading.pop("key_file", None))
    if key is not None and key.readable_file is not None:
        print_err(f"note: {readable_key_text(key.readable_file)}")
    secret = None if key is None else key.key.secret
    return Start(file, known.table, params, cast(Opening, reading), population, secret), str(Path(file).parent)


def _change_shortcut(is_wanted: bool) -> None:
    from acompass.assist.studio.shortcut import change_shortcut

    for line in change_shortcut(is_wanted):
        print_out(line)


def _wait_for_ctrl_c(wait: Callable[[], None]) -> None:
    """Treat Ctrl-C as the normal end of the studio; other signals are failures."""
    with interrupts_within() as interrupts:
        try:
            wait()
        except KeyboardInterrupt:
            if interrupts.arrived is not signal.SIGINT:
                raise


def _open_browser(address: str) -> None:
    """Open the address through a file that only this user can read: other users can see a browser's arguments.

    A text-mode browser would block, so start the browser in a thread.
    """
    page = Path(folder_until_exit(), "studio.html")
    page.write_text(f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={address}">', encoding="utf-8")
    Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()


LSP_EXAMPLES = """\
acompass lsp                                   -- started by an editor for *.acp files
acompass lsp --missing drop                    -- check complete records only

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

LSP_WAITING = (
    "acompass lsp: waiting for an editor to send messages of the Language Server Protocol on standard input.\n"
    "`acompass lsp --help` shows how to configure an editor. Ctrl-C ends the server."
)


@click.command(cls=Command, epilog=LSP_EXAMPLES)
@click.option(
    "--stdio", is_flag=True, help="Accepted for editors that pass it; the server always uses standard input and output."
)
@options.reading
def lsp(stdio: bool, **given: Any) -> None:
    """Serve an editor: diagnostics with fixes, formatting, outline, hover, completion, definitions, renames,
    and the verdict, affected count and proof of each requirement.

    The policy's acompass.toml names its table and parameters; the options control how tables are read. Without an
    acompass.toml, every feature that needs no table works. Nothing is written, and no record values are shown.
    """
    with exit_codes():
        from acompass.assist.lsp import require_pygls

        require_pygls()
        from acompass.assist.lsp.server import Server, serve, server_for_editors

        if sys.stdin.isatty():
            print_err(LSP_WAITING)
        sys.exit(serve(server_for_editors(Server(cast(Opening, convert_options(given))))))
