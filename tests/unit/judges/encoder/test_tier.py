"""The tier as the worker calls it: a batch in, a score or nothing for each trace."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judges.encoder import EncoderMissing, EncoderScore, EncoderTier, TierOptions
from judges.encoder.combine import Blend, Fitting
from tests.unit.judges.encoder.judged import Clock, WordAnswers, WordReader, judged

OPTIONS = TierOptions(share=1.0, budget=1.0)
BAD = "The shop opens at 9. Cats must wait nearby."


def combined_of(score: EncoderScore | None) -> float | None:
    """What both scorers say together of an answer whose claims were read."""
    assert score is not None
    assert score.claims is not None
    return score.claims.combined


def test_uncertain_traces_get_a_score_and_the_others_none() -> None:
    tier = EncoderTier(OPTIONS, WordReader(), Clock())
    batch = [judged("sure", 0.05), judged("good"), judged("bad", answer=BAD), judged("unmeasured", None)]
    sure, good, bad, unmeasured = tier.judge(batch)
    assert sure is None
    assert unmeasured is None
    assert good is not None
    assert bad is not None
    assert good.claims is not None
    assert bad.claims is not None
    assert (good.trace_id, good.version, good.sufficiency) == ("good", "words-1", None)
    assert (good.claims.faithfulness, good.claims.pairs) == (1.0, 2)
    assert bad.claims.hallucination > 0.9 > 0.1 > good.claims.hallucination
    assert (bad.claims.faithfulness, bad.claims.weakest) == (0.5, 1)


def test_a_score_says_what_the_two_scorers_say_together() -> None:
    reader = WordReader()
    tier = EncoderTier(OPTIONS, reader, Clock())
    [alone] = tier.judge([judged("a")])
    assert combined_of(alone) is None
    reader.fitting = Fitting(version="words-2", blend={"any": Blend(0.0, 1.0, 0.5)})
    [cool, warm] = tier.judge([judged("a", 0.35), judged("a", 0.65)])
    low, high = combined_of(cool), combined_of(warm)
    assert low is not None
    assert high is not None
    assert low < high < 0.65


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
    assert score.claims is not None
    assert (score.claims.pairs, score.claims.faithfulness) == (1, None)


def test_where_it_is_unsure_whether_the_chunks_answer_their_vectors_are_looked_at() -> None:
    answers = WordAnswers()
    tier = EncoderTier(OPTIONS, clock=Clock(), answers=answers)
    there, lacking = judged("a", 0.5, sufficiency=0.5), judged("b", 0.5, chunks=["Tea."], sufficiency=0.5)
    sure, unmeasured = judged("c", 0.5, sufficiency=0.95), judged("d", 0.5)
    scores = tier.judge([there, lacking, sure, unmeasured])
    assert [s.sufficiency if s else None for s in scores] == [0.9, 0.1, None, None]
    assert answers.asked == ["When does it open?"] * 2
    assert [s.claims for s in scores if s] == [None, None]
    assert tier.version == "answers-1"


def test_both_models_read_what_either_is_unsure_of() -> None:
    tier = EncoderTier(OPTIONS, WordReader(), Clock(), answers=WordAnswers())
    [score] = tier.judge([judged("a", 0.05, sufficiency=0.5)])
    assert score is not None
    assert score.claims is not None
    assert (score.version, score.sufficiency) == ("words-1+answers-1", 0.9)


def test_the_question_is_asked_as_it_was_rewritten_where_the_rewrite_resolved_it() -> None:
    answers = WordAnswers()
    tier = EncoderTier(OPTIONS, clock=Clock(), answers=answers)
    one = judged("a", sufficiency=0.5)
    one.trace.rewritten_query = "When does the tea shop open?"
    tier.judge([one])
    one.scores.signals["rewrite_state"] = "resolved"
    tier.judge([one])
    assert answers.asked == ["When does it open?", "When does the tea shop open?"]


def test_looking_at_vectors_spends_the_budget_too() -> None:
    clock = Clock()
    answers = WordAnswers(clock, seconds=0.4)
    tier = EncoderTier(replace(OPTIONS, budget=0.1), clock=clock, answers=answers)
    scores = tier.judge([judged(f"t{i}", sufficiency=0.5) for i in range(10)])
    assert sum(score is not None for score in scores) == 3


def test_an_empty_batch_is_fine() -> None:
    assert EncoderTier(OPTIONS, WordReader(), Clock()).judge([]) == []


def test_the_tier_is_off_by_default_and_says_what_it_lacks() -> None:
    assert TierOptions().model is None
    with pytest.raises(EncoderMissing, match="no model"):
        EncoderTier(TierOptions())
