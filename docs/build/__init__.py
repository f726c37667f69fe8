"""What the documents are written with: docstrings as Markdown, commands with their real output, figures."""
