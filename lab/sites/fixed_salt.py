"""A Scrapy extension for crawls that are repeated: templcrawl draws no salt, so each samples the same pages.

::

    EXTENSIONS = {"lab.sites.fixed_salt.FixedSalt": -1}
"""

from __future__ import annotations

FIXED_SALT = {"EXTENSIONS": {"lab.sites.fixed_salt.FixedSalt": -1}}  # before templcrawl's extension, at 0


class FixedSalt:
    """Lets every crawl of this process sample pages by the salt 0."""

    def __init__(self) -> None:
        # only where it is switched on: others run Scrapy alone
        from templcrawl.memory import crawl_memory

        crawl_memory.draw_salt = lambda: 0  # type: ignore[attr-defined]
