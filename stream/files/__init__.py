"""What works on files alone or sends them: read, convert, score, publish."""
