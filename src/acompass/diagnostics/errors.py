"""The exceptions of the public API; each carries diagnostics and nothing else."""

from collections.abc import Iterable

from acompass.diagnostics.diagnostic import Diagnostic


class AcompassError(Exception):
    """Something a user can mend. `diagnostics` says what, in order of place."""

    def __init__(self, diagnostics: Iterable[Diagnostic], source: str | None = None, name: str | None = None):
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        #: the policy's text and its name, where the labels point into one
        self.source = source
        self.name = name
        super().__init__(*self.diagnostics)

    def __str__(self) -> str:
        from acompass.diagnostics.render import render_text  # rendering is only needed when an error is shown

        return render_text(self.diagnostics, self.source, self.name)


class PolicyError(AcompassError):
    """The policy's text is wrong, by itself or for this table's schema."""


class TableError(AcompassError):
    """The table cannot be read, written, or does not hold what the policy needs."""


class CallError(AcompassError):
    """The call is wrong: an option, a parameter, a seed, a trace."""


class EngineError(AcompassError):
    """The engine could not be reached, or failed while it ran."""


class Canceled(EngineError):
    """The call was canceled from another thread; nothing was written."""
