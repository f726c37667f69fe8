"""Several workers of one crawl share what they learn through a store.

One door: :class:`templcrawl.crawl.checkpoints.Exchange`.
"""
