"""Renders every answer: results, plans, proofs, measures and explanations.

One folder per format (`text`, `json`, `html`, `notebook`), and in each one module per thing rendered, under
the same name. `rows` has what text and notebooks share. JUnit and SARIF describe checks only. A renderer
receives data and returns text; it reads no table, proves nothing and writes no file.
"""
