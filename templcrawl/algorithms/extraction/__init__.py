"""Template detection on a page as it arrives, and extraction of the article from its content.

Source: Rowlands, Thomas, Wan (ADCS 2009) for the sandwich; the vote and the article mode are ours.
"""
