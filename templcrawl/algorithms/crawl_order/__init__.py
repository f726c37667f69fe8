"""Crawl order: which link to fetch next, which links are traps, and when to stop."""
