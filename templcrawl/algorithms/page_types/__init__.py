"""Page types by the structure of pages: clustered without examples, or classified from examples."""
