"""``scrapy rank``: the pages of a finished crawl in a database, ranked by links and pagelets.

One door: :class:`templcrawl.tools.ranking.rank_command.RankCommand`.
"""
