"""Certificates: the facts and rules that a proof rests on, for a checker that is proved sound (theory/).

A certificate is made by a prover that uses only what the checker knows, so a claim may be proved and not
certified.
"""

from acompass.certify.certificate import Certified, Uncertified, certificate_of, certify
from acompass.certify.written import CertificateFile

__all__ = ["CertificateFile", "Certified", "Uncertified", "certificate_of", "certify"]
