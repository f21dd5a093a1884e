"""The agent loop and its vocabulary: ``agent.py`` is the door, ``loop.py`` the loop, ``dispatch.py`` runs tool calls.

May import: errors. Never YAML, HTTP, screens or databases.
To add an event or a content block: its struct here, then the exhaustive matches that the type checker points at. To add
a hook decision: its struct in ``hooks.py`` and its case in ``prepare.py``.
"""
