"""The final response of a task in BrowseComp-Plus's form: its answer, and how sure the agent says that it is.

Agents here state their confidence in a tag beside the answer; that evaluation reads it out of the response.
"""

from typing import Any

from tasks.warehouse import snapshot

VERSION = 1
"""Raise it when responses are put together otherwise: judges that read them are asked again then."""


def confidences(con: Any, run_id: str) -> dict[str, float]:
    """Confidence from 0 to 1 that the answer of each task was given with; tasks that state none are left out.

    `con` has the table `agent_events`.
    """
    rows = snapshot.fetch(
        con,
        "SELECT task_id, arg_max((content ->> '$.confidence')::DOUBLE, event) AS said FROM agent_events "
        "WHERE run_id = ? AND action = 'answer' GROUP BY ALL",
        [run_id],
    )
    return {row["task_id"]: row["said"] for row in rows if row["said"] is not None}


def response(answer: str, confidence: float | None) -> str:
    """The text that is judged, and that stands in a run file."""
    return answer if confidence is None else f"{answer}\n\nConfidence: {100 * confidence:g}%"
