"""The structural classification and clustering of Hachenberg & Gottron (CIKM 2013), redone on saved sites.

tags, sets     what the baselines share: the tag sequence, shingles, the overlap of sets
<baseline>     one file each: features of a page, distance of two, threshold
shape          what every method offers
methods        the list of them; another clustering is added there
experiments, tables, type_classes   the experiments and their tables
merge_odds, across, split           experiments of their own
"""
