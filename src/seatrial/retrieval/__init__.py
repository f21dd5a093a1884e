"""From documents to the right passage: chunking, embedders, stores, search.

May import: documents, providers and everything below. To add an embedder or a store: one file and a catalogue line.
"""
