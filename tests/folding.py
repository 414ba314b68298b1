"""One test for hundreds of similar cases: it runs all of them and reports every failure.

    @folded("mistake", MISTAKES, ids=lambda mistake: mistake.text)
    def test_mistake(mistake: Mistake) -> None: ...

`@folded` takes the arguments of `pytest.mark.parametrize` and calls the function as often, but as one test:
collecting, reporting and distributing a test takes longer than many of these cases. Each case has its own
`tmp_path`."""

import functools
import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

#: what a failing case raises; a case cannot be skipped
_FAILURES = (Exception, pytest.fail.Exception)


def folded(
    names: str | tuple[str, ...], cases: Iterable[Any], ids: Callable[[Any], object] = repr
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """`ids` names a case in the report of its failure."""
    each = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names
    listed = list(cases)

    def fold(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run_all(**fixtures: Any) -> None:
            assert listed, "there are no cases"
            failures = []
            for number, case in enumerate(listed):
                values = (case,) if len(each) == 1 else case
                try:
                    test(**_own(fixtures, number), **dict(zip(each, values, strict=True)))
                except _FAILURES as failure:
                    failure.add_note(f"case {number}: {ids(case)}")
                    failures.append(_as_exception(failure))
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(listed)} cases fail", failures)

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in each]
        run_all.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        run_all.__annotations__ = {n: a for n, a in test.__annotations__.items() if n not in each}
        return run_all

    return fold


def _own(fixtures: dict[str, Any], number: int) -> dict[str, Any]:
    if "tmp_path" not in fixtures:
        return fixtures
    folder: Path = fixtures["tmp_path"] / str(number)
    folder.mkdir()
    return {**fixtures, "tmp_path": folder}


def _as_exception(failure: BaseException) -> Exception:
    """An exception group of exceptions cannot hold the exception of `pytest.fail`, which is a BaseException."""
    if isinstance(failure, Exception):
        return failure
    found = AssertionError(str(failure)).with_traceback(failure.__traceback__)
    found.__notes__ = failure.__notes__
    return found
