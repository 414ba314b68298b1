"""Privacy guarantees proved for a policy, before it sees a table."""
