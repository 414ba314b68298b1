"""Writing the certificate of a policy's proved claims, and saying which claims it is about."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from acompass.certify.certificate import Certified, Uncertified, certificate_of, certify
from acompass.diagnostics import CallError, Diagnostic
from acompass.policy import Policy
from acompass.prove.policy import ProvedClaim
from acompass.prove.proof import Claim, ClaimVerdict, Proof
from acompass.tables.output import is_same_file
from acompass.tables.replacing import replacing


class CertificateFile:
    """The file that a policy's certificate is written to; without a path, there is none."""

    def __init__(self, path: str | os.PathLike[str] | None, policy: Policy, table: Any):
        """Raise before anything is proved if the certificate would overwrite what it is about."""
        self._path = path
        self._text = policy.text
        self._proved: list[ProvedClaim] = []
        tables = [table] if isinstance(table, str | os.PathLike) else []
        for file in (policy.name, *policy.hierarchies, *tables):
            self._require_other(file)

    def _require_other(self, file: str | os.PathLike[str]) -> None:
        if self._path is not None and is_same_file(os.path.realpath(self._path), os.fspath(file)):
            message = f"the certificate would overwrite `{os.fspath(self._path)}`"
            help_ = "choose another file: `--certificate certificate.json`"
            raise CallError([Diagnostic("AC708", message, help=help_)])

    def add(self, proved: ProvedClaim) -> None:
        self._proved.append(proved)

    def written(self, proof: Proof) -> Proof:
        """Write the certificate of the claims that have one, and say of each proved claim whether it has."""
        if self._path is None:
            return proof
        outcomes = {each.claim: certify(each) for each in self._proved}
        certified = [each for each in outcomes.values() if isinstance(each, Certified)]
        content = certificate_of(self._text, self._proved, certified)
        with replacing(os.fspath(self._path)) as part:
            Path(part).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        claims = (
            _said(each, outcomes) if each.verdict is ClaimVerdict.PROVED else each for each in proof.claims
        )
        return replace(proof, claims=tuple(claims))


def _said(claim: Claim, outcomes: dict[Claim, Certified | Uncertified]) -> Claim:
    match outcomes.get(claim):
        case None:
            return replace(claim, is_certified=False, uncertified="certificates are for assertions")
        case Certified():
            return replace(claim, is_certified=True)
        case Uncertified(_, reason):
            return replace(claim, is_certified=False, uncertified=reason)
