"""Writing the certificate of a policy's proved claims, and saying which claims it is about."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from acompass.certify.certificate import Certified, Uncertified, certificate_of, certify
from acompass.diagnostics import CallError, Diagnostic
from acompass.prove import Claim
from acompass.prove.policy import ProvedClaim
from acompass.tables.output import is_same_file
from acompass.tables.replacing import replacing


def require_other_file(path: str | os.PathLike[str], files: Iterable[str | os.PathLike[str]]) -> None:
    """Raise before anything is proved if the certificate would overwrite what it is about."""
    for file in files:
        if is_same_file(os.path.realpath(path), os.fspath(file)):
            message = f"the certificate would overwrite `{os.fspath(path)}`"
            help_ = "choose another file: `--certificate certificate.json`"
            raise CallError([Diagnostic("AC708", message, help=help_)])


def write_certificate(
    path: str | os.PathLike[str], text: str, claims: Sequence[Claim], proved: Sequence[ProvedClaim]
) -> tuple[Claim, ...]:
    """Write the certificate of the claims that have one, and say of each proved claim whether it has."""
    outcomes = {claim.at: certify(claim) for claim in proved}
    certified = [each for each in outcomes.values() if isinstance(each, Certified)]
    content = certificate_of(text, proved, certified)
    with replacing(os.fspath(path)) as part:
        Path(part).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return tuple(_said(claim, outcomes.get(at)) for at, claim in enumerate(claims))


def _said(claim: Claim, outcome: Certified | Uncertified | None) -> Claim:
    match outcome:
        case None:
            return claim
        case Certified():
            return replace(claim, is_certified=True)
        case Uncertified(_, reason):
            return replace(claim, is_certified=False, uncertified=reason)
