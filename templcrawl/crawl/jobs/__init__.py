"""``JOBDIR``: its lock, its claims, and its queue after the process was killed.

One door: :class:`templcrawl.crawl.jobs.jobs.Job`; what a folder holds:
:func:`templcrawl.crawl.jobs.job_queues.begun_queues`.
"""
