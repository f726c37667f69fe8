"""Template detection on a page as it arrives, and extraction of the article from its content."""
