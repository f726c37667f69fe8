"""Readers of finished crawls: pages one at a time, how much there is, and what could not be read.

Each kind of crawl has a file of its own; :func:`templcrawl.readers.sources.open_pages` picks one.
"""
