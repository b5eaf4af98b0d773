"""Judges held against people, and against each other: labels and verdicts in, agreement and a decision out.

Pure: `stream/calibrate/` fetches labels and verdicts, and stores what comes of it.
"""
