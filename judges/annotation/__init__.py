"""The annotation queue's rules, without clock, chance or store: what is worth an hour, and what settles it.

`policy.py` says why a case is worth looking at and how much, `alike.py` finds near-duplicates, `filling.py`
chooses what enters the queue, `order.py` what comes next, `votes.py` when annotators agree, `concord.py` how
far.
"""
