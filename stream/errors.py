"""What can go wrong for reasons outside the code, drawn as one tree.

RagpulseError            anything below, and the few that are raised as they are (exit code 1)
├── ServiceUnreachable   a broker or engine does not answer (3)
├── ServiceRefuses       it answers, and does not let us in (3)
├── PartMissing          an optional part is not installed (2)
├── SettingRefused       a setting that nothing can be done with (2)
│
│   defined where they are raised:
├── SourceFailed         the broker answers, and will not let us read (3, stream/kafka/source.py)
├── DeliveryFailed       the broker did not take a message (3, stream/kafka/producer.py)
├── ScorerRefused        no such scorer, or none that can score (2, stream/scorers.py)
├── RegistryRefused      a registry that cannot do what is asked (2, stream/cli/scorer.py)
├── NothingToLearn       too few labels, or of one kind alone (1, stream/distill/run.py)
├── NothingToLabel       no trace of the period could go on a sheet (1, stream/calibrate/sheet.py)
├── NoParent             no scorer to start from (2, stream/distill/run.py)
├── LeasesUnusable       who holds which case cannot be known (3, stream/annotation/opening.py)
├── GoldenRefused        a golden set that cannot be used (2, stream/golden/refs.py)
├── ServerDied           the web page ended by itself (1, stream/console/server.py)
├── OutputFailed         standard output takes nothing more (1, stream/cli/output.py)
├── FileProblem          a file cannot be opened or written (2, stream/files/lines.py)
├── FileDamaged          a file breaks off (1, stream/files/lines.py)
└── FolderInUse          the folder to keep is not empty, or cannot be made (2, stream/demo/run.py)
"""

from __future__ import annotations


class RagpulseError(Exception):
    """One sentence for people: what happened, where, which setting chose it, what to do next."""

    exit_code = 1


class ServiceUnreachable(RagpulseError):
    """A broker or an engine does not answer at its address."""

    exit_code = 3


class ServiceRefuses(RagpulseError):
    """A broker or an engine answers, and does not let us in."""

    exit_code = 3


class PartMissing(RagpulseError):
    """An optional part is not installed."""

    exit_code = 2


class SettingRefused(RagpulseError):
    """A setting that nothing can be done with."""

    exit_code = 2


__all__ = ["PartMissing", "RagpulseError", "ServiceRefuses", "ServiceUnreachable", "SettingRefused"]
