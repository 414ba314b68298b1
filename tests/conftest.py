"""Servers that several folders of tests share; each starts when first asked for."""

from tests.engines.postgres_server import postgres

__all__ = ["postgres"]
