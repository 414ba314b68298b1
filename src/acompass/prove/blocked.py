"""A goal that no rule leads back from."""


class Blocked(Exception):
    """No rule leads back through the requirement; the message says why."""
