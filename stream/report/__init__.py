"""Reports: what changed with a release."""
