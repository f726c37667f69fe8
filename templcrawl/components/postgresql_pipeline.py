"""The old address of ``templcrawl.storage.postgresql``, kept for one version."""

from warnings import warn

from scrapy.exceptions import ScrapyDeprecationWarning

from templcrawl.storage.postgresql import PostgresqlPagesPipeline as PostgresqlPagesPipeline

warn(f"{__name__} is templcrawl.storage.postgresql now", ScrapyDeprecationWarning, stacklevel=2)
