"""One question and its answer as JSON, whatever goes wrong."""

import os
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeAlias

from acompass.assist.desk import Stale
from acompass.diagnostics import AcompassError, Canceled
from acompass.studio.body import Body, Refused
from acompass.studio.in_json import error_json
from acompass.studio.policy_file import Unseen
from acompass.studio.studio import Studio

Answer: TypeAlias = Callable[[Studio, Body], dict[str, Any]]

#: a newer question of the page took the place of this one
STALE = {"stale": True}


@dataclass(frozen=True, slots=True)
class Question:
    """`without` is the rest of an answer that is a mistake of the user, found in the policy or the table."""

    answer: Answer
    without: Mapping[str, Any] = field(default_factory=dict)


def answered(question: Question, studio: Studio, body: Body) -> dict[str, Any] | Refused:
    try:
        return question.answer(studio, body)
    except (Stale, Canceled):
        return STALE
    except AcompassError as error:
        return {**question.without, "diagnostics": error_json(error, body)}
    except Unseen as error:
        message = "the policy file was changed outside this page"
        return Refused(HTTPStatus.CONFLICT, message, text=error.now.text, version=error.now.version)
    except Refused as refused:
        return refused
    except Exception as error:
        return _internal(error)


def _internal(error: Exception) -> Refused:
    """Only the type of the exception is told: its text may contain a value of a record."""
    if os.environ.get("ACOMPASS_DEBUG"):
        traceback.print_exception(error)
    return Refused(
        HTTPStatus.INTERNAL_SERVER_ERROR, f"internal error: `{type(error).__name__}`", code="AC901"
    )
