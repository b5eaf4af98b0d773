"""Kafka as ragpulse uses it: one consumer, one producer, the offsets between them."""
