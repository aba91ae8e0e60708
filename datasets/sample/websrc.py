"""Invented pages in the form of WebSRC, for trying the pipeline without a network.

Cars, books, cameras, films and players are invented. The form follows recorded pages: every element has a number
(`tid`), text stands between blanks, tags are not indented, tables have no header cells, pages differ much in size.
"""

import random
from collections.abc import Iterator

from .words import words

SERVICE = "https://x-lance.github.io/WebSRC/sample"
SPECIFICATIONS = [
    ("Front head room", 36, 42, '"'), ("Rear head room", 35, 40, '"'), ("Front leg room", 39, 45, '"'),
    ("Rear leg room", 32, 41, '"'), ("Luggage capacity", 11, 39, "cu.ft."), ("Standard seating", 2, 8, ""),
    ("Curb weight", 2400, 5200, "lbs"), ("Horsepower", 98, 420, "hp"), ("Fuel tank", 10, 24, "gal."),
    ("City mileage", 16, 44, "mpg"), ("Highway mileage", 22, 52, "mpg"), ("Wheelbase", 98, 121, '"'),
]  # fmt: skip
W = words("websrc")


class _Page:
    """Collects elements and numbers them."""

    def __init__(self) -> None:
        self.number = 0
        self.parts: list[str] = []

    def open(self, name: str, attributes: str = "") -> None:
        extra = f" {attributes}" if attributes else ""
        self.parts.append(f'<{name}{extra} tid="{self.number}">')
        self.number += 1

    def close(self, name: str) -> None:
        self.parts.append(f"</{name}>")

    def text(self, name: str, text: str, attributes: str = "") -> None:
        self.open(name, attributes)
        self.parts.append(text)
        self.close(name)

    def table(self, rows: list[list[str]], first: str = "td") -> None:
        self.open("table")
        self.open("tbody")
        for row in rows:
            self.open("tr")
            for place, cell in enumerate(row):
                self.text(first if place == 0 else "td", cell)
            self.close("tr")
        self.close("tbody")
        self.close("table")


def responses(source: str) -> Iterator[tuple[str, str, str]]:
    """Name, address and text of each page."""
    rng = random.Random("treebench sample websrc")
    kinds = [("auto", _car), ("book", _books), ("camera", _cameras), ("movie", _films), ("sports", _players)]
    for number in range(220):
        domain, make = kinds[number % len(kinds)]
        page = _Page()
        page.open("html")
        page.open("body")
        page.open("div", 'class="content"')
        make(rng, page)
        for name in ("div", "body", "html"):
            page.close(name)
        name = f"{domain}/{1 + number % 3:02d}/processed_data/{number:07d}.html"
        yield name, f"{SERVICE}/{name}", " ".join(page.parts) + "\n"


def _size(rng: random.Random, least: int, most: int) -> int:
    """Mostly few, sometimes many."""
    return least + int(rng.random() ** 3 * (most - least))


def _car(rng: random.Random, page: _Page) -> None:
    year = rng.randrange(2009, 2024)
    page.text("h1", f"{year} {rng.choice(W['makers'])} {rng.choice(W['models'])} {rng.choice(W['trims'])}")
    for heading in rng.sample(["Interior", "Exterior", "Mechanical", "Fuel"], _size(rng, 1, 5)):
        page.text("h2", heading)
        chosen = rng.sample(SPECIFICATIONS, rng.randrange(4, 9))
        rows = [[name, f"{rng.randrange(least, most)} {unit}".strip()] for name, least, most, unit in chosen]
        page.table(rows)


def _books(rng: random.Random, page: _Page) -> None:
    page.text("h1", f"{rng.choice(W['genres'])} books")
    page.open("ul")
    for _ in range(_size(rng, 3, 60)):
        first, second = rng.sample(W["book_words"], 2)
        page.open("li")
        page.text("h3", rng.choice([f"The {first} of {second}", f"{first} and {second}", f"A {second} {first}"]))
        page.text("span", rng.choice(W["authors"]), 'class="author"')
        page.text("span", f"$ {rng.randrange(4, 40)}.{rng.choice(['99', '50', '00'])}", 'class="price"')
        page.text("span", f"{rng.randrange(90, 900)} pages , {rng.choice(W['publishers'])}")
        page.text("span", f"ISBN 978-0-{rng.randrange(10**4, 10**5)}-{rng.randrange(1000, 9999)}-{rng.randrange(10)}")
        page.close("li")
    page.close("ul")


def _cameras(rng: random.Random, page: _Page) -> None:
    maker = rng.choice(W["makers"])
    page.text("h1", f"{maker} digital cameras compared")
    rows = [["Model", "Sensor", "Weight", "Zoom", "Released", "Price"]]
    for _ in range(_size(rng, 4, 50)):
        model = f"{maker[0]}{rng.randrange(10, 99)} {rng.choice(W['models'])}"
        month = rng.choice(["Jan", "Mar", "Jun", "Sep", "Nov"])
        rows.append(
            [
                model,
                f"{rng.randrange(10, 51)}.{rng.randrange(10)} MP",
                f"{rng.randrange(180, 990)} g",
                f"{rng.randrange(2, 40)} x",
                f"{month} {rng.randrange(2009, 2024)}",
                f"$ {rng.randrange(120, 2900)}",
            ]
        )
    page.table(rows)


def _films(rng: random.Random, page: _Page) -> None:
    page.text("h1", f"Films of {rng.randrange(1961, 2020)}")
    for _ in range(_size(rng, 2, 40)):
        first, second = rng.sample(W["book_words"], 2)
        page.open("div", 'class="movie"')
        page.text("h2", f"{first} {second}")
        page.open("dl")
        hours, minutes = rng.randrange(1, 3), rng.randrange(60)
        for term, text in (
            ("Director", rng.choice(W["directors"])),
            ("Running time", f"{hours} hr {minutes} min"),
            ("Rating", rng.choice(W["ratings"])),
            ("Score", f"{rng.randrange(20, 99)} %"),
            ("Votes", f"{rng.randrange(120, 90_000):,}"),
        ):
            page.text("dt", term)
            page.text("dd", text)
        page.close("dl")
        page.close("div")


def _players(rng: random.Random, page: _Page) -> None:
    page.text("h1", f"{rng.choice(W['teams'])} : roster")
    rows = [["No.", "Player", "Pos.", "Height", "Weight", "Points a game"]]
    for number in sorted(rng.sample(range(100), _size(rng, 5, 45))):
        name = f"{rng.choice(W['given'])} {rng.choice(W['family'])}"
        height = f"{rng.randrange(5, 8)} - {rng.randrange(12)}"
        points = f"{rng.randrange(1, 31)}.{rng.randrange(10)}"
        rows.append([str(number), name, rng.choice(W["positions"]), height, str(rng.randrange(150, 290)), points])
    page.table(rows)
