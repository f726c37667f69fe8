"""The structural classification and clustering of Hachenberg & Gottron (CIKM 2013), redone on saved sites.

methods, judging   what is compared, and how pages are grouped and judged
__main__           the experiments and their tables; type_examples: page types from few examples
merge_odds, split  experiments of their own
"""
