"""The command line: arguments and exit codes only."""

import gc
import sys


def main() -> None:
    # a command creates little garbage, and collecting it takes a tenth of the startup time
    gc.set_threshold(100_000)
    try:
        from acompass.cli.app import start  # inside try: Ctrl-C may arrive during the import

        start()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
