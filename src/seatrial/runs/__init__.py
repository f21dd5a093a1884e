"""What happened, kept: records, events, the store.

May import: metrics and everything below. To add a store: a file here and a line in ``store.py``.
"""
