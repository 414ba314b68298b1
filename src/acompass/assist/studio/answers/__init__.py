"""The answers of the studio, by what a page asks about."""
