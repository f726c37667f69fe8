"""Extractors: the article of a separated page, by our own article mode or by another library.

Each library has a file of its own, which loads it when a user asks for it, and says which extra to
install when it is missing.
"""
