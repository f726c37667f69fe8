"""Which pages a crawl has found good: HITS over pages or pagelets, co-citation.

Source: Bar-Yossef & Rajagopalan (WWW 2002), section 4.
"""
