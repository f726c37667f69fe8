"""Clustering of the pages of a finished site by minimum description length, and the template of each cluster.

Source: Gibson, Punera, Tomkins (WWW 2005) and Prathibha et al. for the two passes; Kim & Shim (TKDE 2011) for
description length.
"""
