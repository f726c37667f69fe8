"""Algorithms: one published algorithm a file, a folder a question.

Values in, values out; no clock, logging, globals or Scrapy, no file but the weights and words beside them.
"""
