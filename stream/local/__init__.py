"""A judge without a key, on this machine: its server process, and a demonstration of what it can do."""
