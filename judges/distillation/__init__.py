"""From labels to a new scorer: what people and judges said of traces becomes weights that score the rest.

Pure: labels, traces and the parent's weights in, new weights and a report out. Needs the extra `distill`.
"""
