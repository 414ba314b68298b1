"""Whether engines answer, and whether they answer what the definition says.

The message of a failure may name a host, a user or a path. What is told here is made of constants: the title
of the error's code, and one of a few reasons.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from acompass.diagnostics import AcompassError
from acompass.diagnostics.codes import CODES
from acompass.diagnostics.pages import how_to_see
from acompass.doctor.small_run import CSV, PARAMS, POLICY, small_case
from acompass.health import Finding, State
from acompass.leftovers import temporary_folder

#: the engines of every installation, which are asked without a URL
OWN = {
    "duckdb": "gives the same table as `reference` for a small policy",
    "reference": "runs the same policy",
}
_NEEDED = {"duckdb", "lark", "narwhals", "sqlglot"}
#: words in the message of a failure, and what is said instead
_REASONS = {
    "password authentication failed|no password supplied": "the user or the password is wrong",
    "refused": "nothing listens there",
    "translate host name|name or service not known": "the name of the host is unknown",
    "timeout|timed out": "no answer in time",
    "pg_hba": "the server admits no such connection",
    "role .* does not exist": "the user is unknown",
    "database .* does not exist": "the database is unknown",
    "ssl|certificate": "the connection could not be encrypted",
    "no such file": "no server runs on this machine",
    "malformed": "the URL is malformed",
}


def answers(
    urls: Sequence[str], unusable: Collection[str], done: Callable[[], None] = lambda: None
) -> tuple[Finding, ...]:
    """`unusable` are the libraries that are missing or broken; `done` is called after each question."""
    others = [url for url in urls if url not in OWN]
    lacking = ", ".join(sorted(_NEEDED & set(unusable)))
    if lacking:
        names = (*OWN, *(f"engine {number}" for number in range(1, len(others) + 1)))
        return tuple(Finding(name, State.BROKEN, f"needs {lacking}") for name in names)
    return tuple(_each_answer(others, done))


def _each_answer(urls: Sequence[str], done: Callable[[], None]) -> Iterator[Finding]:
    yield from _own()
    done()
    for url, name in zip(urls, _names(urls), strict=True):
        yield _asked(url, name)
        done()


def _own() -> tuple[Finding, ...]:
    results: dict[str, object] = {}
    failures: dict[str, Finding] = {}
    for engine in OWN:
        try:
            results[engine] = _small_run(engine)
        except Exception as error:
            failures[engine] = _failed(engine, error)
    if not failures and results["duckdb"] != results["reference"]:
        failures["duckdb"] = _differs("duckdb", "duckdb")
    return tuple(failures.get(name, Finding(name, State.WORKS, words)) for name, words in OWN.items())


def _small_run(engine: str) -> object:
    """Everything that a run tells and writes, from file to file."""
    from acompass.api import run

    with temporary_folder() as folder:
        table, released = Path(folder, "table.csv"), Path(folder, "released.csv")
        table.write_text(CSV, encoding="utf-8")
        result = run(
            POLICY, table, params=PARAMS, seed="doctor", order="canonical", output=released, engine=engine
        )
        return result.requirements, released.read_bytes()


def _asked(url: str, name: str) -> Finding:
    """Without files, which the workers of a cluster could not reach."""
    from acompass.conformance.run import agrees

    try:
        if not agrees(url, small_case()):
            return _differs(name, "URL")
    except Exception as error:
        return _failed(name, error)
    return Finding(name, State.WORKS, "agrees with `reference` on a small policy")


def _names(urls: Sequence[str]) -> Iterator[str]:
    """Only schemes, because everything else in a URL may be a host, a user or a password."""
    from acompass.engines.connect import known_schemes

    known = known_schemes()
    schemes = [
        found[0] if (found := re.match(r"\w+", url)) and found[0] in known else "engine" for url in urls
    ]
    for number, scheme in enumerate(schemes, start=1):
        yield scheme if schemes.count(scheme) == 1 else f"{scheme} {schemes[:number].count(scheme)}"


def _differs(name: str, url: str) -> Finding:
    return Finding(
        name,
        State.BROKEN,
        "gives other results than `reference`, or none",
        f"acompass conform --engine {url}",
    )


def _failed(name: str, error: Exception) -> Finding:
    if not isinstance(error, AcompassError):
        return Finding(name, State.BROKEN, f"fails with `{type(error).__name__}`")
    first = error.diagnostics[0]
    reasons = (
        words for pattern, words in _REASONS.items() if re.search(pattern, first.message, re.IGNORECASE)
    )
    detail = ": ".join([CODES[first.code], *list(reasons)[:1]])
    return Finding(name, State.BROKEN, detail, how_to_see(first.code))
