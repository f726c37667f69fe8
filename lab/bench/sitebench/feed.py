"""Put a tool before the pages of a site as :mod:`lab.bench.site_runs` asks a method: page after page.

An online tool is a generator; each question hands it one page and takes one text.  It cannot read ahead: the
iterator that it is given raises where no page has been handed over.

Cost: nothing beside the tool; a tool of the whole site holds the texts of all its pages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial

from lab.bench.peers import Ask, Pages
from lab.bench.site_runs import Method
from lab.bench.sitebench.tools import HtmlAndUrl, Text, Tool


class ReadAhead(Exception):
    """An online tool took a page before it gave the text of the one before."""

    def __init__(self) -> None:
        super().__init__("took the next page before it gave the text of this one")


class TextMissing(Exception):
    """A tool gave fewer texts than it was given pages."""

    def __init__(self) -> None:
        super().__init__("gave no text for this page")


class _Feed(Iterator[HtmlAndUrl]):
    """The pages that are handed over and not yet taken."""

    def __init__(self) -> None:
        self.pages: deque[HtmlAndUrl] = deque()

    def __next__(self) -> HtmlAndUrl:
        if not self.pages:
            raise ReadAhead
        return self.pages.popleft()


class _Texts:
    """The texts of a tool; after it has raised, each of the pages left raises that again."""

    def __init__(self, texts: Iterator[Text]) -> None:
        self._texts = texts
        self._error: Exception | None = None

    def next(self) -> str:
        if self._error is not None:
            raise self._error
        try:
            text = next(self._texts)
        except StopIteration:
            self._error = TextMissing()
            raise self._error from None
        except Exception as error:
            self._error = error
            raise
        if isinstance(text, Exception):
            raise text
        return text


def method_of(tool: Tool) -> Method:
    """Return a tool as a method of :mod:`lab.bench.site_runs`, which is asked about every page in order."""
    return Method(tool.name, lambda: partial(_start_whole if tool.whole else _start_online, tool), ours=True)


def _start_online(tool: Tool, pages: Pages, salt: int) -> Ask:
    feed = _Feed()
    texts = _Texts(iter(tool.run(feed)))

    def ask(html: str, url: str) -> str:
        feed.pages.append((html, url))
        return texts.next()

    return ask


def _start_whole(tool: Tool, pages: Pages, salt: int) -> Ask:
    texts = _Texts(iter(tool.run(list(pages))))
    answers: list[Callable[[], str]] = []
    for _ in pages:
        try:
            answers.append(partial(str, texts.next()))
        except Exception as error:
            answers.append(partial(_raise, error))
    left = iter(answers)
    return lambda html, url: next(left)()


def _raise(error: Exception) -> str:
    raise error
