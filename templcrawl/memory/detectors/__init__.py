"""Detectors: they separate template and content of a page by the earlier pages of its site.

Each detector is one class with the three verbs of :mod:`templcrawl.memory.detectors.detector`, and one line
in :mod:`templcrawl.memory.detectors.detector_table`.
"""
