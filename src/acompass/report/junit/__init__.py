"""JUnit XML, which CI services show as test cases."""
