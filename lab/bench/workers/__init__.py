"""Several workers of a crawl with one queue: what they gain by one memory, and what faults cost them."""
