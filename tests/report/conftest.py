"""A browser for the pages of reports."""

from tests.report.browser import browser

__all__ = ["browser"]
