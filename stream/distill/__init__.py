"""`ragpulse distill`: labels and traces from the store and from files, a candidate into the registry."""
