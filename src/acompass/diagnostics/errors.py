"""The exceptions of the public API. Each carries diagnostics."""

from collections.abc import Iterable

from acompass.diagnostics.diagnostic import Diagnostic


class AcompassError(Exception):
    """A mistake that the user can fix. `diagnostics` are in order of place."""

    def __init__(self, diagnostics: Iterable[Diagnostic], source: str | None = None, name: str | None = None):
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        #: the text and the name of the policy that the labels point into
        self.source = source
        self.name = name
        super().__init__(*self.diagnostics)

    def __str__(self) -> str:
        from acompass.diagnostics.render import render_text  # only needed when an error is shown

        return render_text(self.diagnostics, self.source, self.name)


class PolicyError(AcompassError):
    """The policy does not parse, or does not fit the schema of the table."""


class TableError(AcompassError):
    """The table cannot be read or written, or lacks something that the policy needs."""


class CallError(AcompassError):
    """An option, a parameter, a seed or a trace is wrong."""


class EngineError(AcompassError):
    """The engine could not be reached, or failed while it ran."""


class Canceled(EngineError):
    """The call was canceled from another thread; nothing was written."""
