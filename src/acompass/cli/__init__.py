"""The command line: arguments, exit codes and output streams."""

import gc
import sys

from acompass.version import __version__


def main() -> None:
    if sys.argv[1:] != ["--version"] or not _print_version():
        _run_command()


def _print_version() -> bool:
    """Answer before Click is imported; False if standard output is closed, which `command.exit_codes` handles."""
    try:
        sys.stdout.write(f"acompass {__version__}\n")
        sys.stdout.flush()
    except (OSError, ValueError):
        return False
    return True


def _run_command() -> None:
    # a command creates little garbage, but collecting it takes a tenth of the startup time
    gc.set_threshold(100_000)
    try:
        from acompass.cli.supervisor import run_supervised  # inside try: Ctrl-C may arrive during the import

        run_supervised(_start)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)


def _start() -> None:
    from acompass.cli.supervisor import note_interrupts
    from acompass.tables.temporary_files import note_end

    interrupts = note_interrupts()
    try:
        from acompass.cli.app import start

        start()
    except KeyboardInterrupt:
        note_end()
        sys.stderr.write("interrupted\n")
        sys.exit(128 + (interrupts.arrived or 2))
