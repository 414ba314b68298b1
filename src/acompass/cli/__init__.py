"""The command line: arguments and exit codes only."""


def main() -> None:
    raise SystemExit(2)
