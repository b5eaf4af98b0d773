"""Honest rates: what is said of a segment and a period, and how surely. Pure: arrays in, numbers out."""
