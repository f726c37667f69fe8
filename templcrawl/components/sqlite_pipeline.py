"""The old address of ``templcrawl.storage.sqlite``, kept for one version."""

from warnings import warn

from scrapy.exceptions import ScrapyDeprecationWarning

from templcrawl.storage.sqlite import SqlitePagesPipeline as SqlitePagesPipeline

warn(f"{__name__} is templcrawl.storage.sqlite now", ScrapyDeprecationWarning, stacklevel=2)
