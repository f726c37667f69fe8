"""The job of a crawl with a JOBDIR, and what a crawl has to itself among those of its process.

One door: :class:`templcrawl.crawl.jobs.job.Job`.
"""
