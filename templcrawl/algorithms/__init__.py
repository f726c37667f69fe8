"""Algorithms: one published algorithm a file, a folder a question.

Values in, values out; no clock, logging, files, globals or Scrapy.
"""
