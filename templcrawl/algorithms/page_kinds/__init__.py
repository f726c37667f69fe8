"""What kind a page is of, by name and without an example: an article, a product, a list, a thread ..."""
