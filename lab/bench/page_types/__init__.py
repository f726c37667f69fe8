"""Page types of saved sites: how good they are, and whether they depend on the order of a crawl."""
