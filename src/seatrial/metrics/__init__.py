"""What is measured of a trial, and the verdict against a threshold.

May import: retrieval, providers and everything below. To add a metric: one file and a line in ``catalog.py``.
"""
