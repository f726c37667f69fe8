"""The frontier: our priority queue, and the order of the requests in a slot."""
