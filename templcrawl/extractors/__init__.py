"""Extractors: the article of a separated page, by our own article mode or by another library.

Each library has a file of its own with one function, ``extract(html, url)``; it is imported only when
a user asks for it, and says which extra to install when it is missing.
"""
