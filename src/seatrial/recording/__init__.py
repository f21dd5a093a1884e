"""Record and replay: what models, tools, judges and embedders were asked in each case, and what they gave.

One readable file per case. May import: retrieval, providers and everything below; metrics and tools are siblings.
"""
