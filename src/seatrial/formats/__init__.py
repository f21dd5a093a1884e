"""Provider dicts to messages and back: pure functions, no I/O.

May import: core and everything below. To add a wire format: one file here.
"""
