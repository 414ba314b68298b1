"""The command line: arguments and exit codes only."""

import sys


def main() -> None:
    try:
        from acompass.cli.app import start  # an interrupt while Typer is imported ends like any other

        start()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
