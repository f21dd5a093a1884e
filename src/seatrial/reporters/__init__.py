"""Listeners that show or write what a run did: console, JSON.

May import: runs and everything below, never runner. To add one: a file here and a line in ``catalog.py``.
"""
