"""Page types by the structure of pages: clustered without examples, or classified from examples.

Source: Hachenberg & Gottron (CIKM 2013) for the classifier; page profiles are ours.
"""
