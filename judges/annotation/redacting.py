"""What annotators write themselves, without what would tell who somebody is: they quote what they know."""

from __future__ import annotations

from judges.redaction import Redactor
from schemas.annotation import Annotation


def redact_said(said: Annotation) -> Annotation:
    """The label with marks in its texts. Offsets of claims stay: they are those of the answer as shown."""
    redactor = Redactor()

    def clean(text: str) -> str:
        return redactor.redact(text).text

    return said.model_copy(
        update={
            "note": clean(said.note),
            "reference_answer": clean(said.reference_answer),
            "claims": tuple(claim.model_copy(update={"text": clean(claim.text)}) for claim in said.claims),
        }
    )


__all__ = ["redact_said"]
