"""Pagelets, and the templates that are made of equal ones."""
