"""Crawl a saved site from its folder as if it were on the web: nothing leaves this machine."""

from templcrawl.components.saved_site import SavedSite, _saved_names

__all__ = ["SavedSite", "_saved_names"]
