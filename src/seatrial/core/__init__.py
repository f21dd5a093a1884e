"""The agent loop and its vocabulary: content, messages, tools, models, events.

May import: errors. Never YAML, HTTP, screens or databases.
To add an event or a content block: its struct here, then the exhaustive matches that the type checker points at.
"""
