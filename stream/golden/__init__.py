"""Golden sets between labels, store and files."""
