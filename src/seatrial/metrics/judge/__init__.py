"""Metrics that a model scores. They receive the `Model` ready made and treat everything they judge as mere text.

To add one on levels: a rubric in ``rubrics.py`` and a line in ``metrics/catalog.py``; any other kind: a file here.
"""
