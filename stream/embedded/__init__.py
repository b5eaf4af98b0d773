"""ragpulse on one machine: the broker and the engine as managed child processes."""
