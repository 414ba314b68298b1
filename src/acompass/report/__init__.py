"""Render answers: `render(answer, format)` for text, JSON, Markdown, JUnit, SARIF and the HTML of a notebook.

An answer is described once, as a document (`answers/`), which text, Markdown and HTML render. JUnit and SARIF start
from its findings, and JSON is the answer's own. Most modules are imported on use: few calls need two formats."""

import json
import pkgutil
from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeAlias, assert_never

from acompass.errors.diagnostics import AcompassError
from acompass.report.document import Block, Context

__all__ = ["Context", "Format", "describe", "json_text", "render"]

Format: TypeAlias = Literal["text", "json", "markdown", "junit", "sarif", "html"]

#: the function that describes each class of answers
_DESCRIPTIONS = {
    "AcompassError": "results:describe_error",
    "CheckedFolder": "results:describe_folder",
    "Comparison": "proofs:describe_comparison",
    "DbtFiles": "authoring:describe_dbt_files",
    "Estimate": "authoring:describe_estimate",
    "Explanation": "authoring:describe_explanation",
    "Findings": "results:describe_findings",
    "Measures": "measures:describe_measures",
    "Perturbation": "authoring:describe_perturbation",
    "Plan": "results:describe_plan",
    "Proof": "proofs:describe_proof",
    "Result": "results:describe_result",
    "Rule": "authoring:describe_rule",
    "RuleCheck": "results:describe_rule_check",
    "RulePolicy": "authoring:describe_rule_policy",
    "Rules": "authoring:describe_rules",
    "Suggestion": "authoring:describe_suggestion",
    "Translation": "authoring:describe_translation",
}


def render(answer: Any, format_: Format, context: Context | None = None) -> str:
    """The report of an answer or an error. Text and Markdown end with a line end."""
    context = context or Context()
    match format_:
        case "text":
            from acompass.report.text import document_text

            return document_text(describe(answer, context), context.style)
        case "json":
            return json_text(_json_object(answer, context))
        case "markdown":
            from acompass.report.text import document_markdown

            return document_markdown(describe(answer, context)) + _limits(answer)
        case "html":
            from acompass.report.html import document_html

            return document_html(describe(answer, context))
        case "junit":
            from acompass.report.findings import findings_to_junit

            return findings_to_junit(answer, context)
        case "sarif":
            from acompass.report.findings import findings_to_sarif

            return json_text(findings_to_sarif(answer, context))
        case _:
            assert_never(format_)


def _limits(answer: Any) -> str:
    """The last line of a report on a table: where to read what it does not cover. Text, which is mostly read on a
    terminal by the same person again and again, has no such line."""
    if type(answer).__name__ not in ("Result", "Measures", "RuleCheck"):
        return ""
    from acompass.errors.catalog import LIMITS, page_command

    return f"\nAttacks that no requirement covers: `{page_command(LIMITS)}`\n"


def describe(answer: Any, context: Context) -> Iterable[Block]:
    """The document of an answer. Classes of later layers describe themselves."""
    for class_ in type(answer).__mro__:
        if class_.__name__ in _DESCRIPTIONS:
            describing = f"acompass.report.answers.{_DESCRIPTIONS[class_.__name__]}"
            found: Callable[[Any, Context], Iterable[Block]] = pkgutil.resolve_name(describing)
            return found(answer, context)
    if hasattr(answer, "describe"):
        blocks: Iterable[Block] = answer.describe(context)
        return blocks
    raise TypeError(f"no report for {type(answer).__name__}")


def _json_object(answer: Any, context: Context) -> Any:
    if isinstance(answer, AcompassError):
        from acompass.errors.rendering import diagnostics_object

        return diagnostics_object(answer.diagnostics, answer.source, answer.name, context.most)
    if type(answer).__name__ == "Findings":  # not imported, because few calls lint
        return answer.to_json(context.most)
    return answer.to_json() if context.impact else answer.to_json(impact=False)


def json_text(value: Any) -> str:
    """Write ASCII only, so that no terminal or pipe can garble it."""
    return json.dumps(value, indent=2)
