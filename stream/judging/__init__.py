"""The judge lane: sampled traces to verdicts, and the same judging for files and for past periods."""
