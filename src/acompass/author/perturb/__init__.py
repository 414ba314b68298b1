"""Columns that a policy randomizes by a known matrix (PRAM), and estimates of what they were before."""
