"""Layer 2, one published algorithm a file.

Values in, values out; no clock, logging, files, globals or Scrapy.
"""
