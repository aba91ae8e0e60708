"""What is checked of the wording of one question, each check by itself; a finding is a sentence, none is None."""

import re
from typing import Any

from tasks.validating.subjects import Subject


def order_is_said(subject: Subject) -> str | None:
    """Order counts where the question says so, and only there."""
    lookup = subject.question["reference"]["operation"] == "lookup"
    if subject.question["ordered"] != (lookup and len(subject.question["answer"]) > 1):
        return f"ordered is {subject.question['ordered']} for task {subject.question['task']}"
    if subject.question["ordered"] and "order" not in subject.question["text"]:
        return "the answer is ordered, but the question does not say so"
    return None


def values_stand_in_the_context(subject: Subject) -> str | None:
    """What a question quotes or a record answers stands in the context as it is written."""
    reference = subject.question["reference"]
    told = [condition for target in reference.get("targets", ()) for condition in target]
    told += [condition for condition in reference.get("conditions", ()) if condition["operator"] == "equals"]
    quoted = [condition["value"] for condition in told if condition["field"]["type"] != "flag"]
    if reference["operation"] != "count":
        quoted += subject.question["answer"]
    for value in quoted:
        if not _stands(value, subject.context):
            return f"{value!r} does not stand in the context"
    return None


def _stands(value: str, text: str) -> bool:
    """Whether a value stands in a text in quotes, or as a word of its own."""
    at = text.find(value) if value else -1
    while at >= 0:
        before, behind = text[at - 1 : at], text[at + len(value) : at + len(value) + 1]
        if before == behind == '"':
            return True
        if not re.match(r"[\w.+\\-]", before) and not re.match(r"[\w.]", behind):
            return True
        at = text.find(value, at + 1)
    return False


def answer_is_not_told(subject: Subject) -> str | None:
    """No value of the answer, nor what an address in it ends in, stands in the question as a word of its own."""
    question = subject.question["text"].casefold()
    for value in subject.question["answer"]:
        if re.search(rf"(?<![^\W_]){re.escape(value.casefold())}(?![^\W_])", question):
            return f"the question names {value!r}"
        ending = re.search(r"/([^/#?=&\s]{3,}?)(?:\.[^/.#?=&\s]*)?/?$", value) if " " not in value else None
        if ending and re.search(rf"(?<![^\W_]){re.escape(ending[1].casefold())}(?![^\W_])", question):
            return f"the question names {ending[1]!r}, which {value!r} ends in"
        if re.search(r"redacted|^000 0000 0000$|\ufffd", value, re.IGNORECASE):
            return f"{value!r} is what stands for a masked or unreadable value"
    return None


def wording_is_plain(subject: Subject) -> str | None:
    """The question, apart from what it quotes, names no key that it asks about, no coined key, no path and no index."""
    spoken = re.sub(r'"[^"]*"', '""', subject.question["text"])
    if re.search(r"\$[.\[]|\w\[\d*\]|\w\.\w+\.\w|\b\w+_\w+\b|\bjson\b|\bindex\b|[{}]", spoken, re.IGNORECASE):
        return f"the question names a path or an index: {spoken!r}"
    words = set(re.findall(r"[^\s,;:?()\"]+", spoken.replace(". ", " ").rstrip("."))) - subject.ordinary_words
    asked = words & _path_keys(subject.question["reference"])
    if asked:
        return f"the question names {sorted(asked)[0]!r}, a key that it asks about"
    coined = {word for word in words if not re.fullmatch(r"[A-Z]?[a-z]*|\d+", word)}
    named = next((word for word in sorted(coined) if any(word in unit.keys for unit in subject.units)), None)
    return f"the question names {named!r}, a key of its context" if named else None


def _path_keys(part: Any) -> set[str]:
    """The keys in all paths of a reference."""
    if isinstance(part, list):
        return set().union(*map(_path_keys, part))
    if not isinstance(part, dict):
        return set()
    paths = [part.get("path", []), part.get("records", []), *(p for p in part.get("also", ()) if isinstance(p, list))]
    steps = [step for path in paths for step in path if not isinstance(step, int)]
    found = {str(key) for step in steps for key in ([step] if isinstance(step, str) else step)}
    return found.union(*map(_path_keys, part.values()))
