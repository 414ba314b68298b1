"""Renders every answer: results, plans, proofs, measures and explanations.

One folder per format (`text`, `json`, `html`, `notebook`, `markdown`, `junit`, `sarif`), and in each a module
for each thing rendered, under the same name. `rows` has what text, notebooks and Markdown share. JUnit and
SARIF describe checks, proofs and diagnostics. A renderer receives data and returns text; it reads no table,
proves nothing and writes no file.
"""
