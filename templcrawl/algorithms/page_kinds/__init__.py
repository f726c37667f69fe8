"""Page kinds: name what a page is (article, product, list, thread ...) without examples."""
