"""One script a question, each prints one table; and the demo."""
