"""Honest rates, and incidents: what is said of a segment and a period, and how surely.

Pure statistics (arrays in, numbers out), a watcher that knows all that came, and a loop that reads, stores
and tells.
"""
