"""What was learned: feature vectors, forests, curves, and the weights that hold them."""
