"""The one place where a declaration becomes a live object. Constructors only, no behaviour.

May import: metrics, tools and everything below. Checks that need catalogues live in ``check.py``.
"""
