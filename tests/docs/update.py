"""Write the output of commands and Python blocks into the pages: `python -m tests.docs.update [WORD…]`.

With words, update only pages whose path contains one of them. Read the diff before committing it."""

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
    words = ["-k", " or ".join(sys.argv[1:])] if sys.argv[1:] else ["-k", "a_page_shows_what_happens"]
    return int(pytest.main([test, "-q", *words], plugins=[_Plugin()]))


if __name__ == "__main__":
    sys.exit(main())
