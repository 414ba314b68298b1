"""Help for someone who writes a policy: for the studio, for editors, for notebooks. Answers are data."""
