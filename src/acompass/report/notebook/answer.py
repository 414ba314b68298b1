"""Any answer as HTML."""

from acompass.compare.answer import Comparison
from acompass.displayed import Displayed
from acompass.estimates import Estimate
from acompass.explanation import Explanation
from acompass.measures import Measures
from acompass.privacy.answer import PrivacyProof
from acompass.prove.proof import Proof
from acompass.report.notebook.comparison import comparison_html
from acompass.report.notebook.estimate import estimate_html
from acompass.report.notebook.explanation import explanation_html
from acompass.report.notebook.measures import measures_html
from acompass.report.notebook.plan import plan_html
from acompass.report.notebook.privacy import privacy_proof_html
from acompass.report.notebook.proof import proof_html
from acompass.report.notebook.result import result_html
from acompass.report.notebook.suggestion import suggestion_html
from acompass.result import Plan, Result
from acompass.suggestion import Suggestion


def answer_html(answer: Displayed) -> str:
    match answer:
        case Result():
            return result_html(answer)
        case Plan():
            return plan_html(answer)
        case PrivacyProof():
            return privacy_proof_html(answer)
        case Proof():
            return proof_html(answer)
        case Comparison():
            return comparison_html(answer)
        case Measures():
            return measures_html(answer)
        case Explanation():
            return explanation_html(answer)
        case Suggestion():
            return suggestion_html(answer)
        case Estimate():
            return estimate_html(answer)
        case _:
            raise TypeError(f"no display for {type(answer).__name__}")
