"""One reader per type of file: bytes in, text and records out.

May import: formats and everything below. To add a reader: a file here and a line in ``catalog.py``.
"""
