"""A confluent-kafka loop that passes messages on unread: what the transport alone costs.

Usage: python -m benchmarks.passthrough_confluent BROKERS FROM TO. Runs until SIGTERM.
"""

from __future__ import annotations

import signal
import sys

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer

from benchmarks._common import LINGER_MS, SESSION_TIMEOUT_MS

BATCH = 500


def pass_on(brokers: str, source: str, target: str) -> None:
    """Consume in batches, produce each message with its key, commit behind confirmed delivery."""
    consumer = Consumer(
        {
            "bootstrap.servers": brokers,
            "group.id": "bench-confluent",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "session.timeout.ms": SESSION_TIMEOUT_MS,
        }
    )
    producer = Producer({"bootstrap.servers": brokers, "linger.ms": LINGER_MS, "enable.idempotence": True})
    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: stopping.append(number))
    consumer.subscribe([source])
    while not stopping:
        for message in consumer.consume(BATCH, timeout=0.1):
            _send(producer, target, message)
        producer.poll(0)
    producer.flush(10)
    try:
        consumer.commit(asynchronous=False)
    except KafkaException as error:
        if error.args[0].code() != KafkaError._NO_OFFSET:
            raise
    consumer.close()


def _send(producer: Producer, target: str, message: Message) -> None:
    error = message.error()
    if error is not None:
        raise KafkaException(error)
    while True:
        try:
            producer.produce(target, value=message.value(), key=message.key())
            return
        except BufferError:
            producer.poll(0.05)


if __name__ == "__main__":
    pass_on(*sys.argv[1:4])
