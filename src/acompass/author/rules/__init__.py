"""Published disclosure rules as policies: `library` reads them, `matching` finds a rule's columns in a table, `writing`
rewrites a rule for that table."""
