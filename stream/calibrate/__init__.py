"""Judges against people: labels and verdicts from tables and files, sheets to annotators and back."""
