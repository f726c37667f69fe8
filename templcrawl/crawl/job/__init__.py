"""The JOBDIR of a crawl, and what goes on from it: requests, the dupefilter, feeds, checkpoints, a store."""
