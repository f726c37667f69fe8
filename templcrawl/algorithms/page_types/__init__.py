"""Which page type a page is of, by structure: learned without examples, or from examples.

Source: Hachenberg & Gottron (CIKM 2013) for the classifier; page profiles are ours.
"""
