"""How much of what two texts say is the same: shingles, near-duplicates.

Source: Broder et al. (WWW 1997).
"""
