r"""Invented answers of the Crossref works service, for trying the pipeline without a network.

Works, people, journals and publishers are invented. Shape and odd values follow recorded responses: every slash is
written `\/` and every letter beyond ASCII by its number, dates are nested arrays and may be `[[null]]`, titles are
arrays, may repeat and may be missing, member numbers are strings, records differ in size by a factor of twenty, the
same work stands in two responses with other counts. Some responses hold whole works, some the few fields of a
`select=` query.
"""

import base64
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from ruamel.yaml import YAML

SERVICE = "https://api.crossref.org"
BEGINNING = datetime(1990, 1, 1, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

SELECTIONS = [
    ["DOI", "title", "type", "publisher", "is-referenced-by-count", "issued"],
    ["DOI", "title", "container-title", "volume", "issue", "page", "language"],
    ["DOI", "title", "author", "member", "reference-count", "is-referenced-by-count"],
    ["DOI", "title", "type", "publisher", "container-title", "language", "references-count", "reference-count",
     "is-referenced-by-count", "issued"],
    ["DOI", "title", "type", "volume", "page", "member", "is-referenced-by-count"],
]  # fmt: skip


def _words() -> dict[str, Any]:
    """Names and phrases that the generator puts together."""
    path = Path(__file__).parent / "words" / "crossref.yaml"
    return YAML(typ="safe", pure=True).load(path.read_text("utf-8"))


WORDS = _words()


def responses(source: str) -> Iterator[tuple[str, str, str]]:
    """Name, request URL and text of each response."""
    rng = random.Random("treebench sample crossref")
    library = _Library(rng)
    works = [library.work() for _ in range(760)]
    taken = 0
    for number, rows in enumerate([24, 24, 24, 24, 20, 20, 16, 12]):
        chosen = works[taken : taken + rows]
        taken += rows
        if number == 5:
            chosen[3] = _seen_again(works[7])
        words = {"query": rng.choice(["river", "restoration", "fatigue", "sleep"]), "rows": rows, "cursor": "*"}
        url = f"{SERVICE}/works?{urlencode(words)}"
        cursor = base64.b64encode(rng.randbytes(90)).decode() if number < 6 else None
        yield f"works_{number:02d}", url, _list([_scored(rng, work) for work in chosen], rows, words["query"], cursor)
    number = 0
    while taken < len(works):
        fields = SELECTIONS[number % len(SELECTIONS)]
        rows = [40, 32, 48, 24, 56][number % 5]
        chosen = [{key: work[key] for key in work if key in fields} for work in works[taken : taken + rows]]
        taken += rows
        url = f"{SERVICE}/works?{urlencode({'select': ','.join(fields), 'rows': rows, 'offset': number * 40})}"
        yield f"select_{number:02d}", url, _list(chosen, rows, None, None)
        number += 1
    yield "empty", f"{SERVICE}/works?query=nothing+at+all&rows=20", _list([], 20, "nothing at all", None)
    yield "work", f"{SERVICE}/works/{works[0]['DOI']}", _envelope("work", works[0])
    member = {
        "id": 99101,
        "primary-name": WORDS["publishers"][0][0],
        "counts": {"total-dois": 318},
        "prefixes": [WORDS["publishers"][0][2]],
    }
    yield "member", f"{SERVICE}/members/99101", _envelope("member", member)


class _Library:
    """Hands out works; DOIs never repeat."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.serial = 0

    def work(self) -> dict[str, Any]:
        """One whole work, its keys in the order in which the service writes them."""
        rng = self.rng
        self.serial += 1
        title, short, publisher_number, field, language, issn = rng.choice(WORDS["journals"])
        publisher, member, prefix = WORDS["publishers"][publisher_number]
        sort = rng.choice(
            ["journal-article"] * 7 + ["book-chapter", "proceedings-article", "posted-content", "dataset"]
        )
        created = BEGINNING + timedelta(seconds=rng.randrange(35 * 31_557_600))
        issued = created - timedelta(days=rng.randrange(400))
        year, month, day = issued.year, issued.month, issued.day
        date = rng.choice([[year, month, day], [year, month], [year]])
        doi = f"{prefix}/{short.lower().replace(' ', '')[:6]}.{year}.{self.serial:05d}"
        article = sort in ("journal-article", "proceedings-article")
        references = int(rng.random() ** 3 * 70)
        pages = rng.randrange(1, 900)
        published = {"date-parts": [date]}
        unknown = rng.random() < 0.05
        volume, issue = str(max(1, year - 1984)), str(rng.randrange(1, 13))
        page = f"{pages}-{pages + rng.randrange(2, 24)}" if rng.random() < 0.9 else f"e{pages:05d}"
        licence = f"https://creativecommons.org/licenses/{rng.choice(['by', 'by-nc'])}/4.0"
        name = self._title(field, language)
        work: dict[str, Any] = {
            "indexed": _moment(datetime(2024, 7, 1, tzinfo=UTC) + timedelta(seconds=rng.randrange(10**6)))
        }
        if sort == "book-chapter":
            work["publisher-location"] = rng.choice(["Oslo", "Lyon", "Göttingen", "Leeds"])
        work |= {"reference-count": references, "publisher": publisher}
        if article:
            work["issue"] = issue
        if rng.random() < 0.4:
            start = _moment(created.replace(hour=0, minute=0, second=0))
            work["license"] = [
                {"start": start, "content-version": "vor", "delay-in-days": rng.randrange(0, 90), "URL": licence}
            ]
        work["content-domain"] = {"domain": [], "crossmark-restriction": False}
        if article:
            work["short-container-title"] = [short]
        if rng.random() < 0.3:
            work["abstract"] = self._abstract(field)
        work |= {"DOI": doi, "type": sort, "created": _moment(created)}
        if article or sort == "book-chapter":
            work["page"] = page
        work |= {"source": "Crossref", "is-referenced-by-count": int(rng.random() ** 4 * 260)}
        if name is not None:
            work["title"] = [name]
        work["prefix"] = prefix
        if article:
            work["volume"] = volume
        if rng.random() < 0.9:
            work["author"] = self._authors(prefix)
        work["member"] = member
        if references and rng.random() < 0.35:
            work["reference"] = [self._reference(doi, number, field) for number in range(1, references + 1)]
        if article or sort == "book-chapter":
            work["container-title"] = [title]
        if rng.random() < 0.8:
            work["language"] = language
        if rng.random() < 0.5:
            link = {"URL": f"https://content.example.org/{doi}.pdf", "content-type": "application/pdf"}
            work["link"] = [link | {"content-version": "vor", "intended-application": "text-mining"}]
        work |= {
            "deposited": _moment(created + timedelta(days=rng.randrange(1, 900))),
            "score": 0.0,
            "resource": {"primary": {"URL": f"https://content.example.org/{doi}"}},
            "issued": {"date-parts": [[None]]} if unknown else published,
            "references-count": references,
        }
        if article:
            work["journal-issue"] = {"issue": issue}
        work["URL"] = f"http://dx.doi.org/{doi}"
        if rng.random() < 0.1:
            work["relation"] = {}
        if sort == "journal-article":
            work |= {
                "ISSN": [issn],
                "issn-type": [{"value": issn, "type": "print"}],
                "subject": WORDS["subjects"][field],
            }
        if not unknown:
            work["published"] = published
        return work

    def _title(self, field: str, language: str) -> str | None:
        rng = self.rng
        dice = rng.random()
        if dice < 0.03:
            return None
        if dice < 0.08:
            return rng.choice(WORDS["repeated"])
        if language != "en" and dice < 0.6:
            return f"{rng.choice(WORDS['foreign'][language])}, {rng.choice(['I', 'II', 'III', 'IV'])}"
        subjects, settings = WORDS["topics"][field].values()
        subject, other = rng.sample(subjects, 2)
        other, setting = other.lower(), rng.choice(settings)
        if dice > 0.93:
            return f"{subject} and/or {other} {setting}, 1998–20{rng.randrange(10, 24)}"
        form = rng.randrange(3)
        if form == 0:
            return f"{subject} {setting}{rng.choice(WORDS['endings'])}"
        if form == 1:
            beginning = rng.choice(["Effects of weather on", "Long-term changes in", "Estimating", "A note on"])
            return f"{beginning} {subject.lower()} {setting}"
        return f"{subject} and {other} {setting}{rng.choice(WORDS['endings'])}"

    def _abstract(self, field: str) -> str:
        rng = self.rng
        subjects, settings = WORDS["topics"][field].values()
        sentences = [
            f"We studied {rng.choice(subjects).lower()} {rng.choice(settings)} at {rng.randrange(3, 40)} sites.",
            f"The mean difference between the groups was {rng.randrange(2, 60)}% (p<0.0{rng.randrange(1, 5)}).",
            f"Differences in {rng.choice(subjects).lower()} remained after correction for age and season.",
            "Further work should extend the record to a second decade.",
            "The data and the analysis scripts are available from the authors.",
        ]
        return f"<jats:p>{' '.join(rng.sample(sentences, rng.randrange(2, 5)))}</jats:p>"

    def _authors(self, prefix: str) -> list[dict[str, Any]]:
        rng = self.rng
        found = []
        for number in range(1 + int(rng.random() ** 2 * 7)):
            person: dict[str, Any] = {}
            if rng.random() < 0.15:
                person["ORCID"] = (
                    f"http://orcid.org/0009-{rng.randrange(10**4):04d}-{rng.randrange(10**4):04d}-{rng.randrange(10**4):04d}"
                )
                person["authenticated-orcid"] = False
            place = (
                [{"name": f"Institute {rng.choice('ABCDEFGH')}, {prefix[-2:]} Harbour Road"}]
                if rng.random() < 0.2
                else []
            )
            found.append(
                person
                | {
                    "given": rng.choice(WORDS["given"]),
                    "family": rng.choice(WORDS["family"]),
                    "sequence": "additional" if number else "first",
                    "affiliation": place,
                }
            )
        return found

    def _reference(self, doi: str, number: int, field: str) -> dict[str, Any]:
        rng = self.rng
        subjects, settings = WORDS["topics"][field].values()
        reference: dict[str, Any] = {"key": f"{doi.split('/')[1]}_CR{number}"}
        if rng.random() < 0.5:
            reference |= {"doi-asserted-by": "publisher", "first-page": str(rng.randrange(1, 2000))}
            reference["DOI"] = f"10.999{rng.randrange(10, 40)}/{rng.randrange(10**6, 10**7)}"
        reference |= {
            "volume": str(rng.randrange(1, 90)),
            "author": f"{rng.choice('ABCDEFGHJKLM')} {rng.choice(WORDS['family'])}",
        }
        reference["year"] = str(rng.randrange(1962, 2023))
        if rng.random() < 0.6:
            reference["article-title"] = f"{rng.choice(subjects)} {rng.choice(settings)}"
        return reference | {"journal-title": rng.choice(WORDS["journals"])[1]}


def _seen_again(work: dict[str, Any]) -> dict[str, Any]:
    """The same work as a later query gives it: cited more often."""
    later = datetime(2024, 7, 18, 9, 30, tzinfo=UTC)
    return work | {"indexed": _moment(later), "is-referenced-by-count": work["is-referenced-by-count"] + 3}


def _scored(rng: random.Random, work: dict[str, Any]) -> dict[str, Any]:
    return work | {"score": round(4 + 20 * rng.random(), 6)}


def _list(items: list[dict[str, Any]], rows: int, words: str | None, cursor: str | None) -> str:
    message: dict[str, Any] = {"facets": {}}
    if cursor:
        message["next-cursor"] = cursor
    message |= {
        "total-results": 4000 + rows if items else 0,
        "items": items,
        "items-per-page": rows,
        "query": {"start-index": 0, "search-terms": words},
    }
    return _envelope("work-list", message)


def _envelope(sort: str, message: dict[str, Any]) -> str:
    document = {"status": "ok", "message-type": sort, "message-version": "1.0.0", "message": message}
    return json.dumps(document, ensure_ascii=True, separators=(",", ":")).replace("/", "\\/")


def _moment(time: datetime) -> dict[str, Any]:
    seconds = int((time - EPOCH).total_seconds())
    return {
        "date-parts": [[time.year, time.month, time.day]],
        "date-time": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "timestamp": seconds * 1000,
    }
