"""Answers that a notebook displays as HTML."""


class Displayed:
    """An answer that `acompass.report.notebook.answer` knows."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from acompass.report.notebook.answer import answer_html  # only needed in a notebook

        return answer_html(self)
