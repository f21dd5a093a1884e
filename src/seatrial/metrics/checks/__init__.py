"""Deterministic checks on the answer and the run: 1 when it holds, else 0.

To add one: a file here and a line in ``metrics/catalog.py``.
"""
