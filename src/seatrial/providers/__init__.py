"""Who hosts models: one file per provider, each giving a `Model`.

May import: formats and everything below. To add one: a file here and a line in ``catalog.py``.
"""
