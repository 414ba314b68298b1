"""Randomize a column by a known transition matrix (PRAM), and estimate its original distribution."""
