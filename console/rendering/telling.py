"""An incident in one sentence, in the reader's language."""

from __future__ import annotations

from console.queries.incidents import Incident
from console.words import Words


def tell(incident: Incident, say: Words) -> str:
    """What changed, where, by how much, after which release; the watch's own words where it did not say all
    that."""
    if incident.value is None:
        return incident.summary or say.of("measure", incident.measure)
    facts = {
        "measure": say.of("measure", incident.measure),
        "segment": incident.segment or say("incidents.all_traffic"),
        "now": _percent(incident.value),
    }
    if incident.baseline is None or incident.kind != "change":
        return say("told.over", **facts)
    word = "told.rose" if incident.value >= incident.baseline else "told.fell"
    sentence = say(word, before=_percent(incident.baseline), **facts)
    return sentence + (say("told.after", release=incident.release) if incident.release else "")


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"


__all__ = ["tell"]
