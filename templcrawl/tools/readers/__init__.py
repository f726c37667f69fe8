"""Readers of finished crawls: pages one at a time, their total, and the unreadable records.

Each kind of crawl has a file of its own; :func:`templcrawl.tools.readers.sources.open_pages` picks one.
"""
