"""The page layer: reads HTML as one token stream, and separates it into template and content."""
