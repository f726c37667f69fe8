"""Commands of Scrapy: what a person types.

Scrapy imports each command's module at every start, so these load what they need when they run.
"""
