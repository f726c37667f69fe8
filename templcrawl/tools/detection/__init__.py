"""Template detection over the tables of a crawl archive, in SQL that every engine runs."""
