"""Fingerprints of templates, and an index that finds the nearest."""
