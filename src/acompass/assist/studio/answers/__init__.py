"""Answer the page's questions, grouped by subject."""
