"""A Faust agent that passes messages on unread: the alternative to a loop of our own.

Usage: python -m benchmarks.passthrough_faust BROKERS FROM TO. Runs until SIGTERM.

Tuned fairly: raw bytes in and out (no codec, no model), `Event.forward` (the cheapest way to send
that Faust has), no web server, no tables, no leader topic, large fetches, the same linger as the
others, and acknowledgements left to the batch commit.
"""

from __future__ import annotations

import sys
import tempfile
from typing import Any

import faust

from benchmarks._common import LINGER_MS, SESSION_TIMEOUT_MS


def build_app(brokers: str, source: str, target: str, folder: str) -> Any:
    """The app with its one agent."""
    app = faust.App(
        "bench-faust",
        broker=f"kafka://{brokers}",
        datadir=folder,
        key_serializer="raw",
        value_serializer="raw",
        web_enabled=False,
        topic_disable_leader=True,
        consumer_auto_offset_reset="earliest",
        broker_session_timeout=SESSION_TIMEOUT_MS / 1000,
        broker_heartbeat_interval=1.0,
        broker_rebalance_timeout=SESSION_TIMEOUT_MS / 1000,
        broker_commit_interval=1.0,
        broker_max_poll_records=500,
        consumer_max_fetch_size=4 * 1024 * 1024,
        stream_buffer_maxsize=4096,
        producer_linger=LINGER_MS / 1000,
        producer_max_batch_size=256 * 1024,
    )
    incoming = app.topic(source, key_type=bytes, value_type=bytes)
    outgoing = app.topic(target, key_type=bytes, value_type=bytes)

    @app.agent(incoming)
    async def pass_on(stream: Any) -> None:
        async for event in stream.events():
            await event.forward(outgoing)

    return app


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        _, brokers, source, target = sys.argv
        app = build_app(brokers, source, target, folder)
        faust.Worker(app, loglevel="WARNING").execute_from_commandline()
