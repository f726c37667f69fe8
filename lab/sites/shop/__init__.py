"""A Scrapy project as a user would have it, before templcrawl."""
