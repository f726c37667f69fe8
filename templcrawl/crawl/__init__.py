"""The Scrapy adapters: they translate between Scrapy's objects and ours and never decide."""
