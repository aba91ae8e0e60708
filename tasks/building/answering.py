"""What makes an answer acceptable, and how a reference is executed over the records of a context."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from itertools import combinations

from tasks.building.extracting import Record
from tasks.building.kinds import FieldSpec, Kind, guess
from tasks.building.reference import Condition
from tasks.building.views import Value, folded


def meets(record: Record, conditions: Iterable[Condition]) -> bool:
    """Whether a record meets all conditions."""
    return all(_meets(record.values.get(condition.field.name), condition) for condition in conditions)


def _meets(value: Value | None, condition: Condition) -> bool:
    if value is None:
        return False
    if condition.operator == "equals":
        return value.text == condition.value
    bound, number = Decimal(condition.value), Decimal(value.text)
    return number > bound if condition.operator == "above" else number < bound


def ranking(records: Iterable[Record], field: str) -> list[tuple[str, int]]:
    """Values of a field with how many records have them, the most frequent first."""
    counted = Counter(record.values[field].text for record in records if field in record.values)
    return sorted(counted.items(), key=lambda item: (-item[1], item[0]))


def clear(kind: Kind, records: Sequence[Record], field: str) -> bool:
    """Whether a field can be aggregated.

    No record may hold two values, no two values may differ in case or blanks only, numbers must be written plainly
    (`360`, not `0x168`), and what stands at the same place but is of another type may not look as if it were meant,
    such as `1,200` among numbers.
    """
    if any(field in record.ambiguous for record in records):
        return False
    spec = kind.fields[field]
    if spec.rival:
        others = [record.values[spec.rival].text for record in records if spec.rival in record.values]
        if spec.type == "text" and others:
            return False
        if any(re.search(r"[0-9]", text) for text in others):
            return False
    values = [record.values[field] for record in records if field in record.values]
    if spec.type == "number" and not all(value.presentable for value in values):
        return False
    texts = {value.text for value in values}
    return len({folded(text) for text in texts}) == len(texts)


_SAYS_FLAG = re.compile(r"\b(?:true|false|whether|boolean)\b")


def told(answer: Collection[str], question: str, hollow: Collection[str] = ()) -> bool:
    """Whether a question gives one of the answers away: by naming it, be it written as one word or with other signs,
    by naming what an address ends in, as `Traditions` does `/traditions.php`, or its host; by quoting a good part of
    it; by having all words of it, or of what an address ends in, but for hollow ones that say nothing; or by saying
    `true` or `false` where the answer is that something is boolean.
    """
    squeezed, lowered = _squeezed(question), question.casefold()
    said = _words(question)
    names = [name for value in answer for name in (value, *_ending(value))]
    little = {word.rstrip("s") for word in hollow}
    if any(max(map(len, words := _words(name) - little), default=0) > 2 and words <= said for name in names):
        return True
    if _SAYS_FLAG.search(lowered) and any(value.casefold() in ("bool", "boolean") for value in answer):
        return True
    phrases = re.findall(r'"([^"]+)"', question)
    quoted = {_squeezed(phrase) for phrase in phrases} - {""}
    return any(
        _quoted_part(name, phrase) for value in answer for name in (value, *_ending(value)) for phrase in phrases
    ) or any(
        _squeezed(name) in quoted
        or (name.casefold() in lowered and re.search(rf"(?<![^\W_]){re.escape(name.casefold())}(?![^\W_])", lowered))
        or (len(letters := _squeezed(name)) > 3 and not letters.isdigit() and letters in squeezed)
        for value in answer
        for name in (value, *_ending(value))
    )


_LITTLE = frozenset("a an and api by for from get id in is of on or the to with".split())


def _words(text: str) -> set[str]:
    """The words that a text is made of, also those that are joined as in `getPets`; without plurals and little ones."""
    found = (
        word.casefold().rstrip("s") for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+|[0-9]+", text)
    )
    return {word for word in found if word not in _LITTLE}


def _quoted_part(value: str, phrase: str) -> bool:
    """Whether a phrase stands in a value, as `500` does in `500 response`, and makes up a quarter of it or more; or,
    as part of a word, as `/InstallService` does in `InstallServiceResult`, two fifths of it or more.
    """
    letters, whole = _squeezed(phrase), _squeezed(value)
    share = len(letters) / max(1, len(whole))
    if share >= 0.4 and len(letters) > 4 and letters in whole:
        return True
    return (
        share >= 0.25
        and len(phrase) > 2
        and re.search(rf"(?<![^\W_]){re.escape(phrase)}(?![^\W_])", value, re.IGNORECASE) is not None
    )


def _ending(value: str) -> list[str]:
    """The name that an address ends in, without what stands behind its last dot, and those that its host is made of;
    none where it says little.
    """
    if "/" not in value and not re.fullmatch(r"\S+\.[A-Za-z]\w{1,4}", value):
        return []
    last = re.split(r"[/#?=&]", value.rstrip("/"))[-1]
    host = re.match(r"(?:https?://|www\.)([^/]+)", value, re.IGNORECASE)
    names = [re.sub(r"\.\w{1,5}$", "", last), *(host[1].split(".") if host else ())]
    return [name for name in names if len(_squeezed(name)) > 2 and name.casefold() not in ("www", "com", "org", "net")]


def _squeezed(text: str) -> str:
    """Letters and digits only, without case and accents."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text))).casefold()


NOTHING = (
    frozenset(
        "all any auto default n/a na nan nil none null tbd todo unavailable undefined unknown unspecified "
        "yes no true false".split()
    )
    | {
        f"{no} {said}"
        for no in ("not", "none")
        for said in ("applicable", "available", "known", "provided", "specified")
    }
    | {"no description", "no response was specified"}
)
"""Texts that say no more than a missing value or a flag would, or that a preset is guessed to be."""


def worth_asking(value: Value, spec: FieldSpec, alone: bool = False) -> bool:
    """Whether a value may be an answer: it stands in the text as it is said, says something, and is no mere guess.

    Alone, a number may be neither 1 nor -1, which are guessed too often.
    """
    if value.type == "number":
        number = Decimal(value.text)
        says = number != 0 and not (alone and abs(number) == 1)
    else:
        said = folded(value.text).strip(".")
        says = any(map(str.isalnum, said)) and said not in NOTHING and not _hollow(value.text, spec)
    return value.presentable and says and guess(value.text) not in spec.guesses


def _hollow(text: str, spec: FieldSpec) -> bool:
    """Whether all words of a text, be they joined as in `BadRequest`, say nothing, or repeat a number."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+", text)
    return bool(spec.hollow) and all(word.casefold() in spec.hollow for word in words)


def alike(one: str, other: str, answer_type: str) -> bool:
    """Whether scoring would take one value for the other: texts without case, numbers within 0.01 or 0.1 %."""
    if answer_type != "number":
        return folded(one) == folded(other)
    first, second = Decimal(one), Decimal(other)
    return abs(first - second) <= max(Decimal("0.01"), abs(first) / 1000, abs(second) / 1000)


def differ(values: Sequence[str], answer_type: str) -> bool:
    """Whether no two values are alike."""
    return not any(alike(one, other, answer_type) for one, other in combinations(values, 2))


def separable(value: Value) -> bool:
    """Whether a value can be told apart from its neighbours in a list of values."""
    return not set(value.text) & set(",;|")
