"""The kinds of tool an agent file can name: Python functions, vector stores.

May import: retrieval, documents and everything below. To add a kind: a file here, a line in ``catalog.py``, its class
in ``config/tools.py``.
"""
