"""The distribution of a column before a policy randomized it, estimated from the released table."""
