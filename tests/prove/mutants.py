"""Test that every mutant of the prover is noticed: it must get the verdict of some claim of the corpus wrong.

python -m tests.prove.mutants
python -m tests.prove.mutants --module rules.laws --workers 2

`harmless_mutants.md` lists the mutants that change no verdict, with the reason."""

import argparse
import importlib.abc
import multiprocessing
import re
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from unittest.mock import patch

from tests.prove.mutation import RULES, Mutant, module_path, mutants

HARMLESS = Path(__file__).with_name("harmless_mutants.md")

#: a mutant that runs this long counts as noticed; the whole corpus takes a few seconds
SECONDS = 120


def harmless() -> frozenset[str]:
    """The names in the list: an item is a name, a dash and the reason."""
    return frozenset(re.findall(r"^- (.+?) — ", HARMLESS.read_text(encoding="utf-8"), re.MULTILINE))


def find_unnoticed(tried: Iterable[Mutant], workers: int) -> Iterator[Mutant]:
    """Run each mutant in a process of its own."""
    with multiprocessing.get_context("fork").Pool(workers, maxtasksperchild=1) as pool:
        for mutant, is_wrong in pool.imap(_try, tried):
            if not is_wrong:
                yield mutant


def _try(mutant: Mutant) -> tuple[Mutant, bool]:
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(SECONDS)
    _put_in_place(mutant)
    try:
        return mutant, _is_wrong()
    except Exception:
        return mutant, True


def _give_up(*_: object) -> None:
    raise TimeoutError


def _is_wrong() -> bool:
    """Whether the prover proves a false claim or no longer proves a true one. Skips the search for counterexamples,
    which takes most of the time and on which no rule depends."""
    cases = importlib.import_module("tests.prove.corpus").cases()
    refuter = importlib.import_module("acompass.prove.refute.refutation").Refuter
    with patch.object(refuter, "refute", lambda _, claims, *__, **___: [None] * len(claims)):
        return any((case.prove().verdict == "proved") != (case.verdict == "proved") for case in cases)


def _put_in_place(mutant: Mutant) -> None:
    """Import the prover anew, with the mutant in place of its module."""
    for name in [name for name in sys.modules if name.startswith(("acompass.prove", "tests.prove.corpus"))]:
        del sys.modules[name]
    sys.meta_path.insert(0, _Finder(mutant))


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, mutant: Mutant):
        self._name = f"acompass.prove.{mutant.module}"
        self._loader = _Loader(self._name, str(module_path(mutant.module)))
        self._loader.source = mutant.source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        return importlib.machinery.ModuleSpec(fullname, self._loader) if fullname == self._name else None


class _Loader(importlib.machinery.SourceFileLoader):
    source = ""

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.source, self.path, "exec")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", choices=RULES, action="append", help="default: all modules with rules")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    listed = harmless()
    tried = [mutant for module in options.module or RULES for mutant in mutants(module)]
    serious = [mutant for mutant in tried if mutant.name not in listed]
    missed = 0
    for mutant in find_unnoticed(serious, options.workers):
        missed += 1
        sys.stdout.write(f"not noticed: {mutant.name}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{len(tried):,} mutants, {len(tried) - len(serious):,} harmless, {missed:,} not noticed\n")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
