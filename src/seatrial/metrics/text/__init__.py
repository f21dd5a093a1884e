"""Metrics of two texts, the answer and the ground truth, computed without any model.

To add one: a file here with a `PairMetric`, and a line in ``metrics/catalog.py``.
"""
