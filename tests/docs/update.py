"""Write the output of commands and Python blocks into the pages: `python -m tests.docs.update [WORD…]`.

With words, update only pages whose path contains one of them. Read the diff before committing it."""

import argparse
import sys

import pytest

UPDATING = "update-docs"


class _Updating:
    """Registered as a plugin to request an update."""


class _Plugin:
    def pytest_configure(self, config: pytest.Config) -> None:
        config.pluginmanager.register(_Updating(), UPDATING)


def main() -> int:
    test = "tests/docs/test_docs_run.py"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="update only pages whose path contains one of these")
    given = parser.parse_args().words
    words = ["-k", " or ".join(given or ["a_page_shows_what_happens"])]
    return int(pytest.main([test, "-q", *words], plugins=[_Plugin()]))


if __name__ == "__main__":
    sys.exit(main())
