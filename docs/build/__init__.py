"""Tools that write the documents: docstrings as Markdown, commands with their real output, figures."""
