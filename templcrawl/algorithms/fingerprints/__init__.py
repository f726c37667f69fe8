"""Fingerprints of templates, and an index that finds the nearest.

Source: Hachenberg & Gottron (CIKM 2013).
"""
