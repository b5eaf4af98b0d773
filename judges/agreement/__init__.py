"""How far two or more raters agree, beyond what chance alone would bring about: arrays in, figures out.

Nothing here is ever NaN: what cannot be computed is null, with a reason. Two raters over one set of classes:
`measure_pairs`, which gives raw agreement, Cohen's kappa (plain, linear, quadratic), Gwet's AC1, the
prevalence-adjusted kappa, the confusion and each class against the rest. Several raters with gaps:
`krippendorff_alpha`. Intervals are bootstraps over conversations, since two traces of one conversation are
no two independent witnesses.
"""

from judges.agreement.alpha import Level, krippendorff_alpha
from judges.agreement.figure import Figure, Gap
from judges.agreement.kappa import (
    Weighting,
    cohen_kappa,
    gwet_ac1,
    prevalence_adjusted,
    raw_agreement,
)
from judges.agreement.measure import Agreement, ClassAgreement, measure_pairs
from judges.agreement.pairs import Pairs, pair_up

__all__ = [
    "Agreement",
    "ClassAgreement",
    "Figure",
    "Gap",
    "Level",
    "Pairs",
    "Weighting",
    "cohen_kappa",
    "gwet_ac1",
    "krippendorff_alpha",
    "measure_pairs",
    "pair_up",
    "prevalence_adjusted",
    "raw_agreement",
]
