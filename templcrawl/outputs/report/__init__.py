"""The report of a crawl: one self-contained HTML file.

Figures are collected page by page, bounded; contents are made of them at the end, as plain values; pictures
and greyed pages are drawn of these; ``html.py`` writes the file.
"""
