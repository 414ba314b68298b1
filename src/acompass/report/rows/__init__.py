"""The tables of an answer as rows of words, for text and for notebooks. The first row is the header."""
