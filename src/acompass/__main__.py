"""The command line, as `python -m acompass`."""

from acompass.cli import main

main()
