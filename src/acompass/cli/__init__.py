"""The command line: arguments and exit codes only."""

import gc
import sys


def main() -> None:
    # a command makes little garbage, and looking for it costs a tenth of the start-up
    gc.set_threshold(100_000)
    try:
        from acompass.cli.app import start  # an interrupt while Click is imported ends like any other

        start()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
