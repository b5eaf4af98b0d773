"""How fast and how right ragpulse is, measured side by side in one run."""
