"""Pagelets, and the templates that are made of equal ones.

Source: Bar-Yossef & Rajagopalan (WWW 2002).
"""
