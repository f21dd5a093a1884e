"""The kinds of tool an agent file can name: Python functions, prompts, vector stores, MCP servers.

May import: retrieval, documents and everything below. To add a kind: a file here, its class in ``config/tools.py``, a
case in ``assembly/tools.py``.
"""
