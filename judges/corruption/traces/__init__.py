"""Traces that failed in a known way, made from healthy ones."""
