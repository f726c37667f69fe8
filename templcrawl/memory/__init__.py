"""The memory of a crawl, what it has learned of each site: the only mutable state; bounded, saved, shared."""
