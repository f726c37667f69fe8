"""Ranking of crawled pages: HITS over pages or pagelets, and co-citation."""
