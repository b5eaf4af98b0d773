"""Judges that are language models: costly, sampled, and never believed without a check."""
