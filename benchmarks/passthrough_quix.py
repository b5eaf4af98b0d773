"""A quixstreams application that passes messages on unread. Runs until SIGTERM.

Usage: PYTHON benchmarks/passthrough_quix.py BROKERS FROM TO, with the Python of an environment that has
quixstreams (it asks for an older confluent-kafka than ragpulse does: hence an environment of its own).

Tuned fairly: raw bytes in and out, at-least-once, large commit interval, the same linger as the others,
no state, no watching of topics.
"""

from __future__ import annotations

import sys
import tempfile

from quixstreams import Application

LINGER_MS = 20
SESSION_TIMEOUT_MS = 3_000


def pass_on(brokers: str, source: str, target: str, folder: str) -> None:
    """Consume, produce each message with its key, commit behind confirmed delivery each second."""
    app = Application(
        broker_address=brokers,
        consumer_group="bench-quix",
        auto_offset_reset="earliest",
        auto_create_topics=False,
        commit_interval=1.0,
        state_dir=folder,
        loglevel="WARNING",
        consumer_extra_config={"session.timeout.ms": SESSION_TIMEOUT_MS},
        producer_extra_config={"linger.ms": LINGER_MS},
    )
    options = {"key_serializer": "bytes", "value_serializer": "bytes"}
    incoming = app.topic(source, key_deserializer="bytes", value_deserializer="bytes")
    app.dataframe(incoming).to_topic(app.topic(target, **options))
    app.run()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        brokers, source, target = sys.argv[1:4]
        pass_on(brokers, source, target, folder)
