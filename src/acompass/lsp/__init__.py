"""`acompass lsp`: help for policies in any editor, by the Language Server Protocol. `assist` has the help."""
