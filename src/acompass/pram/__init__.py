"""From a column of a table to lines of a policy that randomize it after a known matrix: PRAM."""
