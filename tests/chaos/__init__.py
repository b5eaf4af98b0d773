"""Everything around ragpulse fails, and nothing may be lost, doubled or wrong: `make chaos`."""
