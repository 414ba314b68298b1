"""Render answers as text, JSON, Markdown, HTML, JUnit XML or SARIF, and write the report page."""
