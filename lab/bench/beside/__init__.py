"""templcrawl beside other add-ons and beside every reactor: the same items with the one line as without."""
