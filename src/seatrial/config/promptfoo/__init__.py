"""Configurations of promptfoo, read and rewritten as agent files.

May import what `config` may. Nothing of a configuration is ever executed. What cannot be carried over becomes a `Note`;
a new assertion is one entry of the tables in `checks.py` and `asserts.py`, a new provider one in `data/promptfoo.json`.
"""
