"""Which links page through a list."""
