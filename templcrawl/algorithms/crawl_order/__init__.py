"""Which link is followed next.

Source: Ours, and Chakrabarti's distiller for comparison.
"""
