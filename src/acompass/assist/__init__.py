"""Help with writing policies in the studio, in editors and in notebooks. Answers are data, not text."""
