"""A policy in a dbt project: singular tests of its assertions, and a Python model that performs it."""
