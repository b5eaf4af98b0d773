"""A small set of traces whose verdicts are beyond dispute, put to a judge again and again.

A model behind an endpoint may be replaced without a word, or drift. The probes tell: each run is held against
what is true (`agreement`) and against the judge's own first runs (`drift`), and says which model the server
claims to be. The texts are invented for this purpose, so that no model has learned the answers, and some of
them contradict common knowledge: only the documents count.
"""

from judges.llm.probes.cases import PROBE_SET, Probe, load_probes
from judges.llm.probes.drift import Drift, Signal, detect_drift
from judges.llm.probes.run import Opine, ProbeAnswer, ProbeRun, run_probes

__all__ = [
    "PROBE_SET",
    "Drift",
    "Opine",
    "Probe",
    "ProbeAnswer",
    "ProbeRun",
    "Signal",
    "detect_drift",
    "load_probes",
    "run_probes",
]
