"""The gate: a candidate's answers on a golden set, held against floors and against a baseline. Pure.

results = [measure(case, …) for case in golden.cases]        # measure.py
verdict = decide(suite, results, baseline)                    # decide.py: layer by layer, bottom-up
markdown(verdict), junit(verdict), facts(verdict)             # show_*.py

Noise does not block: differences are paired by case, and `noise.py` flips their signs to see what chance does
to the greatest of them all. What was not measured is no pass: `decide` says so, and blocks where it was
required.
"""

from __future__ import annotations
