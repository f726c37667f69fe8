"""An add-on in whose process Jinja is not installed."""

from __future__ import annotations

import sys

from scrapy.settings import BaseSettings


class NoJinja:
    """From when it is asked, Jinja cannot be imported."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Hide Jinja."""
        sys.modules["jinja2"] = None  # type: ignore[assignment]
