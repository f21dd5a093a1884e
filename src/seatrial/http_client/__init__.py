"""The one HTTP client: pooled connections, time-outs, retries, Retry-After, redaction, broken transport -> error.

The only home of aiohttp, which is imported when the first request is made. May import: errors. A new way to ask is a
method of ``client.py``; what a reply means is the business of whoever asked.
"""
