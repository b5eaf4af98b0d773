"""What a text says: its language, claims, citations, refusals and courtesies, each text by itself."""
