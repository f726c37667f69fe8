"""The job of a crawl with a JOBDIR, and the targets that a crawl writes to.

One door: :class:`templcrawl.crawl.jobs.job.Job`.
"""
