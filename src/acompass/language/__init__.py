"""The policy language: its text, the mistakes in a text, and the program that a text becomes."""
