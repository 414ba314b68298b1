"""Write a policy into a dbt project: singular tests of its assertions, and a Python model that applies it."""
