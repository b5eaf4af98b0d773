"""Verdicts, sent back to where the traces live: one process a receiver, with a consumer group of its own."""

from stream.export.main import run_export

__all__ = ["run_export"]
