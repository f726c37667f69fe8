"""Ranking of crawled pages: HITS over pages or pagelets, and co-citation.

Source: Bar-Yossef & Rajagopalan (WWW 2002), section 4.
"""
