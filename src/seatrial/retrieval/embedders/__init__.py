"""Embedders besides the embedded one of the providers' room. To add one: a file here and a line in ``catalog.py``."""
