"""``agent.yaml`` as typed data in which every key knows its line and column.

May import: errors. Never a provider, tool or metric. To add a key: the entity's file here; schema and docs follow.
"""
