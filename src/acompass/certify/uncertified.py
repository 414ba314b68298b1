"""Why a claim that is proved has no certificate."""


class NotCertified(Exception):
    """The checker has no rule for a step of the proof."""
