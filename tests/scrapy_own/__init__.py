"""Scrapy's own tests, run with templcrawl switched on in Scrapy's default settings: ``make test-scrapy``."""
