"""Invented answers of the USGS earthquake catalogue (GeoJSON), for trying the pipeline without a network.

The towns are real, the events are not. Shape, odd values and formatting follow recorded responses: every property
is always present and absence is null, integral numbers carry no point, lists of codes are wrapped in commas, events
before 1970 have negative times, places repeat, one event stands in two responses with changed values.

Only exact arithmetic is used (no sin, log or exp), so every machine generates the same bytes.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from ruamel.yaml import YAML

SERVICE = "https://earthquake.usgs.gov/fdsnws/event/1"
EVENT_PAGE = "https://earthquake.usgs.gov/earthquakes/eventpage"
DAY = 86_400_000
JANUARY_2024 = 1_704_067_200_000

DIRECTIONS = {
    "N": (0.0, 1.0), "NNE": (0.383, 0.924), "NE": (0.707, 0.707), "ENE": (0.924, 0.383),
    "E": (1.0, 0.0), "ESE": (0.924, -0.383), "SE": (0.707, -0.707), "SSE": (0.383, -0.924),
    "S": (0.0, -1.0), "SSW": (-0.383, -0.924), "SW": (-0.707, -0.707), "WSW": (-0.924, -0.383),
    "W": (-1.0, 0.0), "WNW": (-0.924, 0.383), "NW": (-0.707, 0.707), "NNW": (-0.383, 0.924),
}  # fmt: skip


MAGNITUDES = {  # network: lowest magnitude, range above it, decimals, magnitude types
    "ci": (0.3, 3.6, 2, ["ml", "ml", "ml", "mlr"]),
    "nc": (0.2, 3.4, 2, ["md", "md", "md", "ml"]),
    "nn": (-0.6, 3.2, 1, ["ml"]),
    "ak": (0.8, 4.0, 1, ["ml", "ml", "ml", "mb"]),
    "hv": (1.0, 3.4, 2, ["md", "ml", "md"]),
    "pr": (1.8, 2.9, 2, ["md", "md", "ml"]),
    "uw": (-0.3, 3.3, 2, ["ml", "ml", "md"]),
    "uu": (0.1, 3.4, 2, ["md", "ml"]),
    "us": (4.0, 3.2, 1, ["mb", "mb", "mww", "mwr"]),
    "ushis": (4.1, 3.6, 1, ["mfa", "mint"]),
    "iscgem": (5.9, 2.6, 2, ["mw"]),
}
ZONES = {"ci": -480, "nc": -480, "nn": -480, "ak": -540, "hv": -600, "pr": -240, "uw": -480, "uu": -420, "us": None}
CODES = {"ci": 49, "nc": 79, "uw": 69, "hv": 89, "pr": 71, "uu": 99}
"""First digits of event codes, beyond those given so far."""


def _words() -> dict[str, Any]:
    """Names and phrases that the generator puts together."""
    path = Path(__file__).parent / "words" / "usgs.yaml"
    return YAML(typ="safe", pure=True).load(path.read_text("utf-8"))


TOWNS = _words()["towns"]


def responses(source: str) -> Iterator[tuple[str, str, str]]:
    """Name, request URL and text of each response."""
    rng = random.Random("treebench sample usgs")
    catalogue = _Catalogue(rng)
    for number, (networks, first_day, days, events) in enumerate(WINDOWS):
        start, end = JANUARY_2024 + first_day * DAY, JANUARY_2024 + (first_day + days) * DAY
        features = catalogue.window(networks, start, end, events)
        if number == 4:
            features.append(catalogue.revised())
            features.sort(key=lambda feature: feature["properties"]["time"])
        yield _list(f"list_{number:02d}", start, end, features, catalogue.generated)
    feed = catalogue.window(["ci", "nc", "ak", "us"], JANUARY_2024 + 170 * DAY, JANUARY_2024 + 171 * DAY, 34)
    yield _feed("feed_day", feed, catalogue.generated)
    yield "count", f"{SERVICE}/count?format=geojson&minmagnitude=5", '{"count":41,"maxAllowed":20000}'


WINDOWS = [
    (["ci", "nc"], 3, 4, 88), (["nn", "uu", "uw"], 3, 9, 64), (["ak"], 20, 6, 57), (["us"], 1, 40, 72),
    (["ci", "nn"], 60, 5, 61), (["hv", "pr"], 45, 12, 49), (["us", "ak"], 100, 20, 46), (["uw"], 120, 9, 18),
    (["nc", "uu"], 140, 7, 43), (["us"], 150, 1, 1), (["uw"], 160, 1, 0), (["ushis"], -55_000, 30_000, 12),
    (["iscgem"], -43_800, 12_000, 19), (["hv"], 80, 6, 22),
]  # fmt: skip


class _Catalogue:
    """Hands out events; codes never repeat."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.generated = JANUARY_2024 + 200 * DAY
        self.used: set[str] = set()
        self.last: dict[str, Any] | None = None

    def window(self, networks: list[str], start: int, end: int, events: int) -> list[dict[str, Any]]:
        """`events` features in the window, in order of time."""
        times = sorted(start + int((end - start) * self.rng.random()) for _ in range(events))
        return [self._event(self.rng.choice(networks), time) for time in times]

    def revised(self) -> dict[str, Any]:
        """An event of an earlier response as a later query gives it: reviewed again, magnitude changed."""
        feature = json.loads(json.dumps(self.last))
        properties = feature["properties"]
        properties["mag"] = round(properties["mag"] + 0.11, 2)
        properties["updated"] += 6 * DAY
        properties["title"] = f"M {properties['mag']:.1f} - {properties['place']}"
        return feature

    def _event(self, network: str, time: int) -> dict[str, Any]:
        rng = self.rng
        old = time < 0
        town, latitude, longitude = rng.choice(TOWNS[network])
        place, latitude, longitude = self._position(network, town, latitude, longitude)
        lowest, spread, decimals, types = MAGNITUDES[network]
        u = rng.random()
        magnitude = round(lowest + spread * u * u * u + 0.3 * rng.random(), decimals) + 0.0  # no -0.0
        code = self._code(network, time)
        felt = None if old or magnitude < 2.4 or rng.random() > magnitude / 9 else 1 + int(rng.random() ** 4 * 600)
        if old:
            title_network, updated = network, JANUARY_2024 - rng.randrange(700 * DAY)
        else:
            title_network, updated = network, time + 300_000 + int(rng.random() ** 3 * 25 * DAY)
        solved = not old and rng.random() < 0.93
        sparse = network in ("ak", "us") and rng.random() < 0.6
        dmin = None if not solved or sparse else round(0.004 + rng.random() ** 2 * (9 if network == "us" else 0.6), 5)
        kind = "earthquake"
        if not old and network != "us" and magnitude < 2.2 and rng.random() < 0.05:
            kind = rng.choice(["quarry blast", "explosion", "quarry blast"])
        products = ["origin"] if old else ["nearby-cities", "origin", "phase-data"]
        if felt:
            products.insert(0, "dyfi")
        if magnitude >= 4.9 and not old:
            products += ["losspager", "moment-tensor", "shakemap"]
        sources = [network, "us"] if network in ("ak", "ci") and magnitude > 3.2 else [title_network]
        codes = [network + code] + ([f"us9000{_letters(rng, 4)}"] if len(sources) > 1 else [])
        event = network + code
        feature = {
            "type": "Feature",
            "properties": {
                "mag": magnitude,
                "place": place,
                "time": time,
                "updated": updated,
                "tz": ZONES.get(network) if rng.random() < 0.7 else None,
                "url": f"{EVENT_PAGE}/{event}",
                "detail": f"{SERVICE}/query?eventid={event}&format=geojson",
                "felt": felt,
                "cdi": round(1.8 + rng.random() * magnitude * 0.9, 1) if felt else None,
                "mmi": round(2 + rng.random() * magnitude * 0.8, 3) if magnitude >= 4.9 and not old else None,
                "alert": "green" if magnitude >= 4.9 and not old else None,
                "status": "reviewed" if old or rng.random() < 0.72 else "automatic",
                "tsunami": 1 if magnitude >= 6.3 and not old else 0,
                "sig": max(0, int(magnitude * abs(magnitude) * 200 / 13 + 0.5)),
                "net": network,
                "code": code,
                "ids": f",{','.join(codes)},",
                "sources": f",{','.join(sources)},",
                "types": f",{','.join(sorted(products))},",
                "nst": None if not solved or sparse else 5 + int(rng.random() ** 2 * 70),
                "dmin": dmin,
                "rms": None if old and rng.random() < 0.8 else round(0.01 + rng.random() * 0.9, rng.choice([2, 2, 4])),
                "gap": None if not solved or network == "ak" else round(22 + rng.random() * 230, rng.choice([0, 0, 2])),
                "magType": rng.choice(types),
                "type": kind,
                "title": f"M {magnitude:.1f} {'' if kind == 'earthquake' else kind.title() + ' '}- {place}",
            },
            "geometry": {"type": "Point", "coordinates": [longitude, latitude, self._depth(network, old)]},
            "id": event,
        }
        if magnitude > 0.5 and not old:
            self.last = feature
        return feature

    def _position(self, network: str, town: str, latitude: float, longitude: float) -> tuple[str, float, float]:
        rng = self.rng
        if network in ("ushis", "iscgem") and rng.random() < 0.5:
            return f"Near {town}", round(latitude, 2), round(longitude, 2)
        distance = 1 + int(rng.random() ** 2 * (220 if network == "us" else 60))
        direction = rng.choice(list(DIRECTIONS))
        east, north = DIRECTIONS[direction]
        radians = latitude * 0.017453292519943295
        square = radians * radians
        cosine = 1 - square / 2 + square * square / 24 - square * square * square / 720
        latitude += north * distance / 111.2
        longitude += east * distance / (111.2 * cosine)
        decimals = 7 if network in ("ci", "nc", "uw", "hv") else 4
        return f"{distance} km {direction} of {town}", round(latitude, decimals), round(longitude, decimals)

    def _depth(self, network: str, old: bool) -> float | None:
        rng = self.rng
        if old:
            return None if rng.random() < 0.5 else round(10 + 25 * rng.random(), 0)
        if rng.random() < 0.03:
            return -round(0.1 + 1.6 * rng.random(), 2)
        deepest = {"us": 580, "ak": 190, "pr": 120, "hv": 38}.get(network, 18)
        return round(0.5 + rng.random() ** 2 * deepest, rng.choice([1, 2, 2, 3]))

    def _code(self, network: str, time: int) -> str:
        rng = self.rng
        while True:
            if network == "us":
                code = f"9000{_letters(rng, 4)}"
            elif network == "ak":
                code = f"9024{_letters(rng, 7)}"
            elif network == "nn":
                code = f"009{rng.randrange(10**5):05d}"
            elif time < 0:
                code = f"9{rng.randrange(10**6):06d}"
            else:
                code = f"{CODES[network]}{rng.randrange(10**6):06d}"
            if code not in self.used:
                self.used.add(code)
                return code


def _letters(rng: random.Random, count: int) -> str:
    return "".join(rng.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(count))


def _list(name: str, start: int, end: int, features: list[dict[str, Any]], generated: int) -> tuple[str, str, str]:
    query = {
        "format": "geojson",
        "starttime": _iso(start),
        "endtime": _iso(end),
        "limit": 20000,
        "offset": 1,
        "orderby": "time-asc",
    }
    url = f"{SERVICE}/query?{urlencode(query)}"
    metadata = {
        "generated": generated,
        "url": url,
        "title": "USGS Earthquakes",
        "status": 200,
        "api": "1.14.1",
        "limit": 20000,
        "offset": 1,
        "count": len(features),
    }
    return name, url, _collection(metadata, features)


def _feed(name: str, features: list[dict[str, Any]], generated: int) -> tuple[str, str, str]:
    url = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_day.geojson"
    title = "USGS All Earthquakes, Past Day"
    metadata = {
        "generated": generated,
        "url": url,
        "title": title,
        "status": 200,
        "api": "1.14.1",
        "count": len(features),
    }
    return name, url, _collection(metadata, features[::-1])


def _collection(metadata: dict[str, Any], features: list[dict[str, Any]]) -> str:
    """As the service writes it: one feature a line, a bounding box where there is a feature."""
    head = f'{{"type":"FeatureCollection","metadata":{_text(metadata)},"features":['
    if not features:
        return head + "]}"
    points = [feature["geometry"]["coordinates"] for feature in features]
    columns = [[value for value in column if value is not None] for column in zip(*points, strict=True)]
    box = [min(column) for column in columns] + [max(column) for column in columns]
    return head + ",\n".join(map(_text, features)) + f'],"bbox":{_text(box)}}}'


def _text(value: Any) -> str:
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    """Integral floats as the service writes them: 8, not 8.0."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, float) and value == int(value) else value


def _iso(milliseconds: int) -> str:
    """UTC date of a time in milliseconds, by the proleptic Gregorian calendar (Fliegel and van Flandern)."""
    day = milliseconds // DAY + 2_440_588 + 68_569
    century = 4 * day // 146_097
    day -= (146_097 * century + 3) // 4
    year = 4000 * (day + 1) // 1_461_001
    day += 31 - 1461 * year // 4
    month = 80 * day // 2447
    date = day - 2447 * month // 80
    year, month = 100 * (century - 49) + year + month // 11, month + 2 - 12 * (month // 11)
    return f"{year:04d}-{month:02d}-{date:02d}T00:00:00"
