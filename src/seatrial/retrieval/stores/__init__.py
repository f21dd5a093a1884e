"""Where chunks and their vectors are kept. The only place in this room that knows a database.

To add a store: one file here and a line in ``catalog.py``.
"""
