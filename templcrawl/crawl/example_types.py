"""The page type of each page, by the examples of ``TEMPLCRAWL_PAGE_TYPE_EXAMPLES``: a folder for each type.

Source: :mod:`templcrawl.algorithms.page_types.type_classifiers`.  Cost: that of the classifier.
"""

from __future__ import annotations

from scrapy.crawler import Crawler

from templcrawl.algorithms.page_types.type_classifiers import StructuralClassifier
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.errors import InvalidOption
from templcrawl.log import CrawlLogger
from templcrawl.page.page import Page
from templcrawl.page.saved_pages import ExampleReader


class ExampleTypes:
    """Returns the page type of each page, None if it has none of the types.

    names  of the page types
    """

    def __init__(self, crawler: Crawler, settings: TemplcrawlSettings) -> None:
        """Learn from the examples.

        Raises InvalidOption for a folder without examples.
        """
        folder = settings.page_type_examples or ""
        try:
            examples = ExampleReader(folder)
            learned = StructuralClassifier.train(examples)
        except (InvalidOption, OSError) as error:
            accepted = getattr(error, "accepted", f"a folder that can be read ({error})")
            raise InvalidOption(f"{PREFIX}PAGE_TYPE_EXAMPLES", folder, accepted) from error
        for name, reason in examples.unreadable.first:
            CrawlLogger(__name__, crawler).warning(
                "templcrawl cannot read the example page %s: %s", name, reason
            )
        self._classifier, self.names = learned, learned.names

    def __call__(self, page: Page) -> str | None:
        """Return the page type of a page."""
        return self._classifier.classify(page).name
