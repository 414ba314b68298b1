"""Any answer that has a report in Markdown."""

from acompass.compare.answer import Comparison
from acompass.displayed import Reported
from acompass.measures import Measures
from acompass.privacy.answer import PrivacyProof
from acompass.prove.proof import Proof
from acompass.report.markdown.comparison import comparison_markdown
from acompass.report.markdown.measures import measures_markdown
from acompass.report.markdown.privacy import privacy_proof_markdown
from acompass.report.markdown.proof import proof_markdown
from acompass.report.markdown.result import result_markdown
from acompass.result import Result


def answer_markdown(answer: Reported, name: str | None) -> str:
    match answer:
        case Result():
            return result_markdown(answer, name)
        case PrivacyProof():
            return privacy_proof_markdown(answer, name)
        case Proof():
            return proof_markdown(answer, name)
        case Comparison():
            return comparison_markdown(answer, name)
        case Measures():
            return measures_markdown(answer, name)
        case _:
            raise TypeError(f"no Markdown for {type(answer).__name__}")
