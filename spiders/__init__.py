"""Spiders of this repository: ``scrapy crawl site``."""
