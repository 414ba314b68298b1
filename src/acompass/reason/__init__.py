"""Conclusions from proofs: warnings about a policy, comparison of two policies, privacy of the output."""
