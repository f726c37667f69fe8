"""The parts of a crawl, a file each.

A new one is a file here, and a row of :data:`templcrawl.crawl.options.PARTS`.
"""
