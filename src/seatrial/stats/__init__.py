"""Numbers only: intervals and tests for rates and means.

May import: errors. To add a statistic: a function with its source named.
"""
