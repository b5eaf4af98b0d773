"""Score a period again with another scorer: results beside the old ones, in table `scores`."""
