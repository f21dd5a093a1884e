"""The only room that prints, prompts, reads argv or ends the process.

May import: everything below. To add a command: one file here and one line in ``main.py``.
"""
