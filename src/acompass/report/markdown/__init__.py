"""Answers as GitHub-flavoured Markdown, for the summary of a CI job: the verdict first, then tables."""
