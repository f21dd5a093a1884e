"""Metrics of what the agent did: its tool calls, compared with what was expected.

To add one: a file here and a line in ``metrics/catalog.py``.
"""
