"""Detectors that read a finished site twice: every page once to learn, and once more to be separated.

They have the three verbs of every detector (:mod:`templcrawl.memory.detectors.detector`); their owner is
:mod:`templcrawl.tools.whole_site.site_detector`.
"""
