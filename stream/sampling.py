"""Which traces the LLM judges see: by a hash of the trace_id, so that the choice can be undone.

Every trace has one number in 0..1 that never changes. It is in the random control sample below
`base_rate`, and below `suspected_rate` it is chosen where a failure is suspected. The probability with
which a trace was chosen is recorded with it, so that rates over judged traces are weighted back
(each by 1 / probability) without bias.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Final

from schemas.row import Sampling
from schemas.scored import Judged
from stream.settings import SamplingSettings

CONTROL: Final = "control"
SUSPECTED: Final = "suspected"
_HASH_BYTES: Final = 8
_HASH_RANGE: Final = float(2 ** (8 * _HASH_BYTES))


def draw(trace_id: str, salt: str) -> float:
    """The number of a trace, in [0, 1): uniform over traces, the same on every machine."""
    digest = blake2b(
        trace_id.encode(errors="surrogatepass"), digest_size=_HASH_BYTES, key=salt.encode()[:64]
    ).digest()
    return int.from_bytes(digest) / _HASH_RANGE


def sampler(settings: SamplingSettings) -> Callable[[Judged], Sampling]:
    """A function that decides for each judged trace. Raising a rate only ever adds traces."""
    base, salt = settings.base_rate, settings.salt
    suspected = max(base, settings.suspected_rate)

    def choose(judged: Judged) -> Sampling:
        is_suspected = judged.verdict.failure is not None or judged.verdict.parametric_leak
        probability = suspected if is_suspected else base
        number = draw(judged.trace.trace_id, salt)
        if number >= probability:
            return Sampling(False, probability)
        reasons = [CONTROL] if number < base else []
        return Sampling(True, probability, (*reasons, SUSPECTED) if is_suspected else tuple(reasons))

    return choose


__all__ = ["CONTROL", "SUSPECTED", "draw", "sampler"]
