"""Layer 6, what a person types: commands of Scrapy.

Scrapy imports each command's module at every start, so these load what they need when they run.
"""
