"""Runs a suite: plan, schedule, execute, grade. Knows nothing of screens, files or providers.

May import: assembly, runs and everything below. It emits the events of ``runs.events``.
"""
