"""Write the certificate of a policy's proved claims to a file, and mark the claims that it covers."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from acompass.errors.diagnostics import CallError, Diagnostic, option_text
from acompass.policy import Policy
from acompass.prove.certify.certificate import Certified, Uncertified, build_certificate, certify
from acompass.prove.proof import Claim, ClaimVerdict, Proof
from acompass.prove.search.verdicts import ProvedClaim
from acompass.tables.output import is_same_file, replace_file


class CertificateFile:
    """The file for a policy's certificate; without a path, nothing is written."""

    def __init__(self, path: str | os.PathLike[str] | None, policy: Policy, table: Any):
        """Raise, before anything is proved, if the certificate would overwrite an input."""
        self._path = path
        self._text = policy.text
        self._proved: list[ProvedClaim] = []
        tables = [table] if isinstance(table, str | os.PathLike) else []
        for file in (policy.name, *policy.files, *tables):
            self._require_other(file)

    def _require_other(self, file: str | os.PathLike[str]) -> None:
        if self._path is not None and is_same_file(os.path.realpath(self._path), os.fspath(file)):
            message = f"the certificate would overwrite `{os.fspath(self._path)}`"
            help_ = f"choose another file: `{option_text('certificate', 'certificate.json')}`"
            raise CallError([Diagnostic("AC708", message, help=help_)])

    def add(self, proved: ProvedClaim) -> None:
        self._proved.append(proved)

    def write(self, proof: Proof) -> Proof:
        """Write the certificate, and return the proof with each proved claim marked as certified or not."""
        if self._path is None:
            return proof
        outcomes = {each.claim: certify(each) for each in self._proved}
        certified = [each for each in outcomes.values() if isinstance(each, Certified)]
        content = build_certificate(self._text, self._proved, certified)
        with replace_file(os.fspath(self._path)) as part:
            Path(part).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        claims = (_mark_claim(each, outcomes) if each.verdict is ClaimVerdict.PROVED else each for each in proof.claims)
        return replace(proof, claims=tuple(claims))


def _mark_claim(claim: Claim, outcomes: dict[Claim, Certified | Uncertified]) -> Claim:
    match outcomes.get(claim):
        case None:
            return replace(claim, is_certified=False, uncertified="only assertions have certificates")
        case Certified():
            return replace(claim, is_certified=True)
        case Uncertified(_, reason):
            return replace(claim, is_certified=False, uncertified=reason)
