"""The worker: every trace is decoded, scored, triaged, perhaps sampled for the judges, and published."""

from stream.worker.main import run_worker

__all__ = ["run_worker"]
