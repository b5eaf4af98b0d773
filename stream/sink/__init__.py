"""The sink: what was scored, judged or given up goes into ClickHouse, and offsets follow it."""

from stream.sink.main import run_sink

__all__ = ["run_sink"]
