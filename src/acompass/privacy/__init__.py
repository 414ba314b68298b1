"""Privacy that is proved of a policy, before it sees a table."""
