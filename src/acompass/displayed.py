"""Answers that a notebook displays as HTML, and those that also have a report in Markdown."""


class Displayed:
    """An answer that `acompass.report.notebook.answer` knows."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from acompass.report.notebook.answer import answer_html  # only needed in a notebook

        return answer_html(self)


class Reported(Displayed):
    """An answer that `acompass.report.markdown.answer` knows as well."""

    __slots__ = ()

    def to_markdown(self, name: str | None = None) -> str:
        """The report of `--format markdown`, for the summary of a CI job. Its heading has the `name` of the
        policy or the table."""
        from acompass.report.markdown.answer import answer_markdown  # only needed for a report

        return answer_markdown(self, name)
