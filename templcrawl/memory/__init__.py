"""What a crawl has learned of a site: the only mutable state; bounded, saved, shared."""
