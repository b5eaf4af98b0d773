"""The compiled inner loops of the scorer: arrays in, arrays out, no objects.

Each file holds the loops of one step; the modules a folder up give them their arrays and name what comes
back. A loop over the tokens of a part replaces dozens of passes of array operations: what was half a
millisecond a trace is a fraction of it. See `compiled` for how and where the machine code is kept.
"""
