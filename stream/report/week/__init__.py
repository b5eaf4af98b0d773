"""`report week`: what failed, where, what changed, and what to do about it."""
