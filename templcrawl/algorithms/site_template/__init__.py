"""The template of a site from one key page and few others.

Source: Alarte, Insa, Silva, Tamarit (2014).
"""
