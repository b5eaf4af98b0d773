"""The tier as the worker calls it: a batch in, a score or nothing for each trace."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judges.encoder import EncoderMissing, EncoderTier, TierOptions
from judges.encoder.combine import Blend, Fitting
from tests.unit.judges.encoder.judged import Clock, WordReader, judged

OPTIONS = TierOptions(share=1.0, budget=1.0)
BAD = "The shop opens at 9. Cats must wait nearby."


def test_uncertain_traces_get_a_score_and_the_others_none() -> None:
    tier = EncoderTier(OPTIONS, WordReader(), Clock())
    batch = [judged("sure", 0.05), judged("good"), judged("bad", answer=BAD), judged("unmeasured", None)]
    sure, good, bad, unmeasured = tier.judge(batch)
    assert sure is None
    assert unmeasured is None
    assert good is not None
    assert bad is not None
    assert (good.trace_id, good.version, good.faithfulness, good.pairs) == ("good", "words-1", 1.0, 2)
    assert bad.hallucination > 0.9 > 0.1 > good.hallucination
    assert (bad.faithfulness, bad.weakest) == (0.5, 1)


def test_a_score_says_what_the_two_scorers_say_together() -> None:
    reader = WordReader()
    tier = EncoderTier(OPTIONS, reader, Clock())
    [alone] = tier.judge([judged("a")])
    assert alone is not None
    assert alone.combined is None
    reader.fitting = Fitting(version="words-2", blend={"any": Blend(0.0, 1.0, 0.5)})
    [cool, warm] = tier.judge([judged("a", 0.35), judged("a", 0.65)])
    assert cool is not None
    assert warm is not None
    assert cool.combined is not None
    assert warm.combined is not None
    assert cool.combined < warm.combined < 0.65


def test_only_the_share_is_read_and_the_rest_counted() -> None:
    reader = WordReader()
    tier = EncoderTier(replace(OPTIONS, share=0.25), reader, Clock())
    scores = tier.judge([judged(f"t{i}") for i in range(40)])
    assert sum(score is not None for score in scores) == 10
    assert tier.skipped["share"] == 30


def test_reading_stops_when_the_time_is_spent_and_goes_on_later() -> None:
    clock = Clock()
    tier = EncoderTier(replace(OPTIONS, budget=0.1), WordReader(clock, seconds_a_pair=0.2), clock)
    scores = tier.judge([judged(f"t{i}") for i in range(10)])
    assert sum(score is not None for score in scores) == 3  # of two pairs each: one second, and its rest
    assert tier.skipped["budget"] == 7
    assert scores[0] is None or scores[0].seconds == pytest.approx(0.4)
    clock.now += 100
    [later] = tier.judge([judged("later")])
    assert later is not None


def test_a_trace_with_nothing_to_read_gets_no_score() -> None:
    tier = EncoderTier(OPTIONS, WordReader(), Clock())
    assert tier.judge([judged("a", answer="", chunks=["x"]), judged("b", chunks=[])]) == [None, None]
    assert tier.skipped["nothing_to_read"] == 2


def test_faithfulness_is_not_measured_where_claims_were_left_out() -> None:
    tier = EncoderTier(OPTIONS, WordReader(), Clock(), most=1)
    [score] = tier.judge([judged("a")])
    assert score is not None
    assert (score.pairs, score.faithfulness) == (1, None)


def test_an_empty_batch_is_fine() -> None:
    assert EncoderTier(OPTIONS, WordReader(), Clock()).judge([]) == []


def test_the_tier_is_off_by_default_and_says_what_it_lacks() -> None:
    assert TierOptions().model is None
    with pytest.raises(EncoderMissing, match="no model"):
        EncoderTier(TierOptions())
