"""Invented public pages with tables and lists, for trying the pipeline without a network.

Form and odd values follow recorded pages: merged cells, nested tables, header cells, items without end tags, definition
lists, comments, entities, pages in other encodings than UTF-8 that say so or say nothing.
"""

import random
from collections.abc import Iterator
from html import escape

from .words import words

SERVICE = "https://pages.example.org"
W = words("public_pages")


def responses(source: str) -> Iterator[tuple[str, str, str | bytes]]:
    """Name, address and text (bytes where it is not UTF-8) of each page."""
    rng = random.Random("treebench sample public_pages")
    kinds = [("lakes", _lakes), ("bridges", _bridges), ("fees", _fees), ("buses", _buses), ("terms", _terms)]
    for number in range(160):
        name, make = kinds[number % len(kinds)]
        title, body = make(rng, number)
        charset = ["utf-8", "utf-8", "utf-8", "iso-8859-1", ""][number // 5 % 5]
        declaration = f'<meta charset="{charset}">' if charset else ""
        text = (
            f'<!DOCTYPE html>\n<html lang="en">\n<head>{declaration}\n<title>{escape(title)}</title>\n'
            f"<style>td {{ padding: 2px }}</style></head>\n<body>\n<!-- page {number} -->\n"
            f"{_head(rng, name, number)}<h1>{escape(title)}</h1>\n{body}"
            f'<footer><p>Updated <time datetime="2024-0{1 + number % 9}-11">in 2024</time></p></footer>\n'
            "</body>\n</html>\n"
        )
        data = text if charset == "utf-8" else text.encode("cp1252", "xmlcharrefreplace")
        yield f"{name}_{number:03d}.html", f"{SERVICE}/{name}/{number}", data


def _head(rng: random.Random, name: str, number: int) -> str:
    """What stands above the heading: links in a row or in a list, sometimes images."""
    if number % 3 == 0:
        return f'<nav><a href="/">Home</a> | <a href="/{name}">All {name}</a></nav>\n'
    chosen = rng.sample(W["services"], min(len(W["services"]), rng.randrange(2, 5)))
    items = "".join(
        f'<li><a href="/services/{rng.randrange(100, 999)}" title="{escape(text)} in {rng.randrange(1990, 2024)}">'
        f"{escape(text)} {number}.{place}</a>\n"
        for place, text in enumerate(chosen)
    )
    images = "".join(
        f'<img src="/img/{rng.randrange(1000, 9999)}.png" '
        f'alt="View {number}.{place} of {escape(rng.choice(W["stops"]))}" '
        f'width="{rng.randrange(40, 900)}" height={rng.randrange(30, 600)}>\n'
        for place in range(rng.randrange(0, 4))
    )
    return f"<nav><ul>\n<li><a href=/>Home</a>\n{items}</ul></nav>\n{images}"


def _rows(rng: random.Random, least: int, most: int) -> range:
    return range(least + int(rng.random() ** 3 * (most - least)))


def _lakes(rng: random.Random, number: int) -> tuple[str, str]:
    rows = [
        '<tr><th rowspan="2">Lake</th><th rowspan="2">Region</th><th colspan="2">Extent</th></tr>',
        "<tr><th>Area (km²)</th><th>Depth (m)</th></tr>",
    ]
    if rng.random() < 0.7:
        rows = ["<tr><th>Lake</th><th>Region</th><th>Area (km²)</th><th>Depth (m)</th><th>Gauge</th></tr>"]
    plain = len(rows) == 1
    for _ in _rows(rng, 3, 240):
        depth = f"{rng.randrange(4, 390)}" if rng.random() < 0.9 else "&ndash;"
        lake = f"{rng.choice(W['lakes'])} {rng.choice(['Upper', 'Lower', 'North', 'East', ''])}".strip()
        area = f"{rng.randrange(1, 900)}.{rng.randrange(10)}"
        gauge = f"<td>{rng.choice(W['regions'])[:2].upper()}-{rng.randrange(100, 999)}" if plain else ""
        rows.append(f"<tr><td>{escape(lake)}<td>{escape(rng.choice(W['regions']))}<td>{area}<td>{depth}{gauge}</tr>")
    return f"Lakes surveyed in {1960 + number % 60}", "<table border=1>\n" + "\n".join(rows) + "\n</table>\n"


def _bridges(rng: random.Random, number: int) -> tuple[str, str]:
    parts = []
    for _ in _rows(rng, 2, 70):
        name = f"{rng.choice(W['bridges'])} Bridge"
        inner = "".join(
            f"<tr><td>{label}</td><td>{text}</td></tr>"
            for label, text in (
                ("Opened", rng.randrange(1790, 2020)),
                ("Length", f"{rng.randrange(12, 1400)} m"),
                ("Material", rng.choice(W["materials"])),
                ("Spans", rng.randrange(1, 14)),
            )
        )
        parts.append(f"<tr><td><b>{name}</b></td><td><table>{inner}</table></td></tr>")
    return f"Bridges of {W['regions'][number % 6]}", "<table>\n" + "\n".join(parts) + "\n</table>\n"


def _fees(rng: random.Random, number: int) -> tuple[str, str]:
    items = []
    for _ in _rows(rng, 4, 190):
        price = f"£{rng.randrange(2, 180)}.{rng.choice(['00', '50'])}"
        days = rng.randrange(1, 40)
        items.append(
            f"<li>{rng.choice(W['services'])} no. {rng.randrange(10, 99)}: <strong>{price}</strong>, {days} days"
        )
    return f"Fees and charges {2005 + number % 20}", "<ul>\n" + "\n".join(items) + "\n</ul>\n"


def _buses(rng: random.Random, number: int) -> tuple[str, str]:
    parts = []
    for _ in _rows(rng, 1, 24):
        line = rng.randrange(1, 99)
        stops = rng.sample(W["stops"], rng.randrange(3, 8))
        minute = rng.randrange(5, 20)
        rows = "".join(
            f"<tr><td>{stop}</td><td>{7 + (place * 9 + minute) // 60:02d}:{(place * 9 + minute) % 60:02d}</td>"
            f"<td>{rng.choice(['A', 'B', 'C'])}</td></tr>"
            for place, stop in enumerate(stops)
        )
        head = "<thead><tr><th>Stop</th><th>First bus</th><th>Zone</th></tr></thead>"
        parts.append(f"<h2>Line {line}</h2>\n<table>{head}<tbody>{rows}</tbody></table>\n")
    return f"Bus times, winter {2000 + number % 25}", "".join(parts)


def _terms(rng: random.Random, number: int) -> tuple[str, str]:
    chosen = [rng.choice(W["terms"]) for _ in _rows(rng, 3, 90)]
    listed = "".join(
        f"<dt>{term} ({number}.{place})<dd>{escape(text)} <em>Used since {rng.randrange(1200, 1990)}.</em>\n"
        for place, (term, text) in enumerate(chosen)
    )
    return f"Glossary, part {number}", f"<dl>\n{listed}</dl>\n"
