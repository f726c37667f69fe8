"""Which part of each page is template, told by reading a finished site twice.

Source: Gibson, Punera, Tomkins (WWW 2005) and Prathibha et al. for the two passes; Kim & Shim (TKDE 2011) for
description length.
"""
