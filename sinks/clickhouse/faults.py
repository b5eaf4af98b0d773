"""Whose fault it is: ClickHouse's error numbers, sorted into ours.

The question is always the same: is it the rows, the moment, or the set-up? Rows are only ever blamed
for an error on the short list of those that reading a row can raise. An unknown number blames the
set-up: then everything waits, loudly, and nothing is set aside that might be good.
"""

from __future__ import annotations

from typing import Final

from sinks.errors import SinkDenied, SinkError, SinkMisconfigured, SinkOverloaded, SinkRejected, SinkTooLarge

OVERLOADED: Final = frozenset(
    {
        159,  # TIMEOUT_EXCEEDED
        160,  # TOO_SLOW
        164,  # READONLY: a server that is being moved or restored
        202,  # TOO_MANY_SIMULTANEOUS_QUERIES
        203,  # NO_FREE_CONNECTION
        209,  # SOCKET_TIMEOUT
        210,  # NETWORK_ERROR
        225,  # NO_ZOOKEEPER
        236,  # ABORTED
        241,  # MEMORY_LIMIT_EXCEEDED
        242,  # TABLE_IS_READ_ONLY: a replica without its keeper
        243,  # NOT_ENOUGH_SPACE
        252,  # TOO_MANY_PARTS
        279,  # ALL_CONNECTION_TRIES_FAILED
        285,  # TOO_FEW_LIVE_REPLICAS
        286,  # UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE
        319,  # UNKNOWN_STATUS_OF_INSERT
        373,  # SESSION_IS_LOCKED
        394,  # QUERY_WAS_CANCELLED
        425,  # SYSTEM_ERROR
        439,  # CANNOT_SCHEDULE_TASK
        473,  # DEADLOCK_AVOIDED
        733,  # TABLE_IS_BEING_RESTARTED
        745,  # SERVER_OVERLOADED
        999,  # KEEPER_EXCEPTION
    }
)
"""It passes: wait, and send the same again."""

BAD_ROWS: Final = frozenset(
    {
        6,  # CANNOT_PARSE_TEXT
        25,  # CANNOT_PARSE_ESCAPE_SEQUENCE
        26,  # CANNOT_PARSE_QUOTED_STRING
        27,  # CANNOT_PARSE_INPUT_ASSERTION_FAILED
        33,  # CANNOT_READ_ALL_DATA
        38,  # CANNOT_PARSE_DATE
        41,  # CANNOT_PARSE_DATETIME
        43,  # ILLEGAL_TYPE_OF_ARGUMENT
        53,  # TYPE_MISMATCH
        69,  # ARGUMENT_OUT_OF_BOUND
        70,  # CANNOT_CONVERT_TYPE
        72,  # CANNOT_PARSE_NUMBER
        117,  # INCORRECT_DATA
        128,  # TOO_LARGE_ARRAY_SIZE
        130,  # CANNOT_READ_ARRAY_FROM_TEXT
        131,  # TOO_LARGE_STRING_SIZE
        190,  # SIZES_OF_ARRAYS_DONT_MATCH
        306,  # TOO_DEEP_RECURSION
        321,  # VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
        349,  # CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
        376,  # CANNOT_PARSE_UUID
        407,  # DECIMAL_OVERFLOW
        441,  # CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING
        467,  # CANNOT_PARSE_BOOL
        469,  # VIOLATED_CONSTRAINT
        675,  # CANNOT_PARSE_IPV4
        676,  # CANNOT_PARSE_IPV6
        691,  # UNKNOWN_ELEMENT_OF_ENUM
    }
)
"""A row cannot be read. It could not be tomorrow."""

DENIED: Final = frozenset(
    {
        192,  # UNKNOWN_USER
        193,  # WRONG_PASSWORD
        194,  # REQUIRED_PASSWORD
        516,  # AUTHENTICATION_FAILED
    }
)
"""User and password are wrong, whatever is asked."""

PAYLOAD_TOO_LARGE: Final = 413


def fault(code: int | None, http_status: int | None, message: str) -> SinkError:
    """The error of ours for one of ClickHouse's: its number, else the HTTP status (a proxy's answer)."""
    if code is None and http_status == PAYLOAD_TOO_LARGE:
        return SinkTooLarge(message, code)
    if code in BAD_ROWS:
        return SinkRejected(message, code)
    if code in OVERLOADED or (code is None and http_status is not None and http_status in _PASSING):
        return SinkOverloaded(message, code)
    if code in DENIED or (code is None and http_status in _STRANGERS):
        return SinkDenied(message, code)
    return SinkMisconfigured(message, code)


_PASSING: Final = frozenset({408, 429, 500, 502, 503, 504})
_STRANGERS: Final = frozenset({401, 403, 404, 405})
"""Without a number of ClickHouse's it is a proxy that keeps us out, or another server altogether."""

__all__ = ["BAD_ROWS", "DENIED", "OVERLOADED", "PAYLOAD_TOO_LARGE", "fault"]
