"""How relevant a page is to a topic that is given by words: by how often it says them.

    relevance = min(1, occurrences / 3)

over all visible text of the page, template included: a side bar that names the topic is a hint that the
topic is near (measured: relevance of the text without its template steers a crawl worse).

A topic is one or more words or phrases, with commas.  Letters are compared without case, whole words only;
between the words of a phrase may stand anything but letters and digits, as in ``/solar-power_plants/``.
Where words are not spaced (Chinese, Japanese) a phrase may stand anywhere.  Cost: O(length of the text).
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from templcrawl.errors import InvalidOption
from templcrawl.page.page import Page
from templcrawl.page.render import text_of

ENOUGH = 3
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"


class TopicWords:
    """Judges pages and links by the words of a topic.

    >>> topic = TopicWords("solar power, wind")
    >>> page = Page.from_html("<p>Wind and windows.<p>Solar-power")
    >>> round(topic(page), 2), topic.names("/on/Solar_Power.html"), topic.names("windows")
    (0.67, True, False)
    """

    def __init__(self, topic: str) -> None:
        """Take words and phrases with commas; raises InvalidOption where there is no word."""
        phrases = [_WORD.findall(phrase) for phrase in topic.split(",")]
        patterns = ["[\\W_]+".join(map(re.escape, words)) for words in phrases if words]
        if not patterns:
            raise InvalidOption("topic", topic, "words or phrases, with commas")
        patterns.sort(key=len, reverse=True)
        ends = rf"(?:(?<![^\W_])|(?<=[{_UNSPACED}]))(?:{'|'.join(patterns)})(?:(?![^\W_])|(?=[{_UNSPACED}]))"
        self.topic = topic
        self._find = re.compile(ends, re.IGNORECASE)

    def __repr__(self) -> str:
        return f"TopicWords({self.topic!r})"

    def __call__(self, page: Page) -> float:
        """Return how relevant a page is, in [0, 1]."""
        text = visible_text(page)
        mentions = 0
        for mentions, _ in enumerate(self._find.finditer(text), 1):
            if mentions == ENOUGH:
                break
        return mentions / ENOUGH

    def names(self, text: str) -> bool:
        """Say whether a link's text or address names the topic."""
        return self._find.search(unquote(text)) is not None


def visible_text(page: Page) -> str:
    """Return all that a reader of a page sees."""
    return text_of(page, bytes(len(page.tokens)), 0)
