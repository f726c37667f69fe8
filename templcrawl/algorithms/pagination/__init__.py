"""Which links page through a list.

Source: Ours.
"""
