"""Clustering of a finished site's pages by minimum description length, and the template of each cluster."""
