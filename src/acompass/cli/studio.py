"""`acompass studio`: work on a policy in the browser."""

import signal
import webbrowser
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Unpack

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import exit_codes
from acompass.cli.inputs import STANDARD_INPUT, given
from acompass.cli.interrupts import noted_interrupts
from acompass.cli.streams import print_err, print_out
from acompass.leftovers import folder_until_exit
from acompass.options import ERROR

EXAMPLES = """\
acompass studio people.csv
acompass studio release.acp people.csv --set k=5
acompass studio release.acp people.csv --missing drop --no-browser
acompass studio
"""


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument("policy", required=False, help="A policy (.acp), which need not exist yet.")
@click.argument(
    "table",
    required=False,
    help="A .csv, .csv.gz or .parquet file, or a glob of them; by default that of the acompass.toml.",
)
@options.settings
@click.option(
    "--port", type=click.IntRange(1, 65535), metavar="N", help="The port; by default a random free one."
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option(
    "--population",
    metavar="POP",
    help="A table of the population that the people belong to, for journalist risk.",
)
@options.missing
@options.dates
@options.files
@options.memory_limit
def studio(
    policy: str | None,
    table: str | None,
    settings: tuple[str, ...],
    port: int | None,
    no_browser: bool,
    population: str | None,
    missing: tuple[str, ...],
    dates: tuple[str, ...],
    memory_limit: str | None,
    **files: Unpack[options.FileOptions],
) -> None:
    """Open a policy and its table in the browser, to see what each line does while it is written.

    A table alone opens the policy of the same name beside it: people.acp for people.csv. Where an
    acompass.toml names the table, the policy is enough. Only this machine can reach the page. Ctrl-C ends it.
    """
    with exit_codes():
        from acompass.studio.extra import require_studio

        require_studio()
        _refuse_standard_input(policy, table)
        from acompass.studio.server import serving
        from acompass.studio.start import Start, named_files, setting_text
        from acompass.tables.file_format import FileFormat

        file, own_table = named_files(policy, table)
        known = given(file, own_table, settings)
        params = {name: setting_text(value) for name, value in known.params.items()}
        reading = missing or ERROR, dates, FileFormat(**files), memory_limit
        start = Start(file, known.table, params, *reading, population)
        with serving(start, port) as running:
            print_out(running.access.address)
            print_err("Ctrl-C ends the studio")
            if not no_browser:
                _open_browser(running.access.address)
            _wait_for_ctrl_c(running.wait)


def _refuse_standard_input(*files: str | None) -> None:
    if STANDARD_INPUT in files:
        raise click.BadParameter("the studio needs files, not standard input")


def _wait_for_ctrl_c(wait: Callable[[], None]) -> None:
    """Ctrl-C is how the studio ends, so it is no failure; other signals are."""
    with noted_interrupts() as interrupts:
        try:
            wait()
        except KeyboardInterrupt:
            if interrupts.arrived is not signal.SIGINT:
                raise


def _open_browser(address: str) -> None:
    """By a file that only this user can read: the address of a started browser is shown to all users.

    A browser in the terminal would block, so it has a thread of its own.
    """
    page = Path(folder_until_exit(), "studio.html")
    page.write_text(
        f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={address}">', encoding="utf-8"
    )
    Thread(target=webbrowser.open, args=(page.as_uri(),), daemon=True).start()
