"""Which part of a page is template, told as the page arrives; and which part of its content is the article.

Source: Rowlands, Thomas, Wan (ADCS 2009) for the sandwich; the vote and the article mode are ours.
"""
