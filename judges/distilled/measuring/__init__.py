"""What texts have in common, as arrays over a whole batch: tokens, numbers, overlaps, alignments."""
