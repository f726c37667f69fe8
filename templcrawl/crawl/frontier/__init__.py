"""Which request is next: our priority queue, and the order of a slot."""
