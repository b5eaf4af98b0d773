"""Cases and labels as Label Studio knows them: its labelling configuration, tasks, and annotations."""

from __future__ import annotations

from stream.annotation.label_studio.config import labelling_config
from stream.annotation.label_studio.results import Unreadable, read_result, result_of
from stream.annotation.label_studio.tasks import is_task, task_of, who_of

__all__ = ["Unreadable", "is_task", "labelling_config", "read_result", "result_of", "task_of", "who_of"]
