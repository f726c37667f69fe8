"""The command ``templcrawl ADDRESS -o FOLDER``: from an address to a folder of results.

It joins parts that are public elsewhere, and decides nothing about pages.
"""
