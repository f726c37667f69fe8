"""Text similarity: shingles, near-duplicates, and changes between two versions of a page."""
