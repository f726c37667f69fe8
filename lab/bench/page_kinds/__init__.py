"""How well the kinds of pages are named: single pages, and pages of sites with the vote of their leaves."""
