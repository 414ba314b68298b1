"""The command line: arguments and exit codes only."""


def main() -> None:
    from acompass.cli.app import start  # `import acompass.cli` stays free of Typer

    start()
