"""Invented program files with static data, in the style of six repositories, for trying the pipeline without a network.

Form and odd values follow recorded initialisers: comments, trailing commas, single and double quotes, keys with and
without quotes, hexadecimal numbers, exponents, escapes, minified lines, tables keyed by name beside lists of objects.
Each file also holds what has to be rejected: calls, functions, spreads, template literals, numeric keys, holes.
"""

import random
from collections.abc import Iterator
from typing import Any

from .words import words

FILES = 30
W = words("javascript")
REPOSITORIES = {
    "eslint": "eslint/eslint", "webpack": "webpack/webpack", "three_js": "mrdoob/three.js",
    "plotly_js": "plotly/plotly.js", "babel": "babel/babel", "lodash": "lodash/lodash",
}  # fmt: skip


def responses(source: str) -> Iterator[tuple[str, str, str]]:
    """Name, address and text of each program file."""
    own = W[source]
    rng = random.Random(f"treebench sample {source}")
    for number in range(FILES):
        style = _Style(rng, source)
        parts = [f'"use strict";\n\n/* Sample file {number}: invented data. */\n']
        for _ in range(1 + int(rng.random() ** 2 * 5)):
            name = f"{rng.choice(own['names'])}{rng.choice(['', rng.randrange(2, 99)])}"
            parts.append(style.declaration(name, _value(rng, own, number)))
        parts.append(_rejected(rng, number))
        name = f"{own['folder']}/{own['names'][number % len(own['names'])]}_{number:02d}.js"
        yield name, f"https://github.com/{REPOSITORIES[source]}/blob/sample/{name}", "\n".join(parts)


def _value(rng: random.Random, own: dict[str, Any], number: int) -> Any:
    """A table or list; sometimes many entries, mostly few."""
    count = 3 + int(rng.random() ** 3 * 40)
    dice = rng.random()
    if dice < 0.4:
        return {f"{rng.choice(own['nouns'])} {place}": _entry(rng, own) for place in range(count)}
    if dice < 0.8:
        return [{"name": f"{rng.choice(own['nouns'])} {place + number}"} | _entry(rng, own) for place in range(count)]
    if dice < 0.9:
        return {"months": rng.choice(W["months"]), "format": {"days": rng.sample(own["nouns"], 3), "first": number % 7}}
    return [_number(rng, *rng.choice(own["numbers"])[1:]) for _ in range(count * 6)]


def _entry(rng: random.Random, own: dict[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = {name: rng.choice(values) for name, values in own["fields"]}
    entry |= {name: _number(rng, least, most) for name, least, most in own["numbers"]}
    if rng.random() < 0.2:
        entry["deprecated"] = rng.random() < 0.5
    if rng.random() < 0.15:
        entry["replacedBy"] = rng.sample(own["nouns"], rng.randrange(0, 3))
    if rng.random() < 0.1:
        entry["note"] = rng.choice(['say "no"\n', "it's fine", "tab\there", "größer – später", None])
    return entry


def _number(rng: random.Random, least: float, most: float) -> int | float:
    if isinstance(least, float):
        return round(least + (most - least) * rng.random(), 3)
    return rng.randrange(int(least), int(most) + 1)


class _Style:
    """How one author writes data."""

    def __init__(self, rng: random.Random, source: str):
        self.rng = rng
        self.minified = source == "plotly_js" and rng.random() < 0.4
        self.quote = rng.choice("'\"")
        self.step = "\t" if source in ("eslint", "three_js") else "  "
        self.trailing = rng.random() < 0.6
        self.comments = rng.random() < 0.4 and not self.minified

    def declaration(self, name: str, value: Any) -> str:
        keyword = self.rng.choice(["const", "const", "let", "var"])
        if self.minified:
            return f"{keyword} {name}={self.text(value, '')};"
        comment = f"// {self.rng.choice(W['comments'])}\n" if self.comments else ""
        return f"{comment}{keyword} {name} = {self.text(value, '')};\n"

    def text(self, value: Any, indent: str) -> str:
        if isinstance(value, dict):
            pairs = [f"{self.key(key)}:{'' if self.minified else ' '}{self.text(item, indent + self.step)}"
                     for key, item in value.items()]  # fmt: skip
            return self.block("{", pairs, "}", indent, len(pairs) > 2)
        if isinstance(value, list):
            items = [self.text(item, indent + self.step) for item in value]
            return self.block("[", items, "]", indent, bool(value) and isinstance(value[0], dict))
        if isinstance(value, str):
            return self.string(value)
        if isinstance(value, bool) or value is None:
            return {True: "true", False: "false", None: "null"}[value]
        if isinstance(value, int) and value > 255 and self.rng.random() < 0.2:
            return hex(value)
        return repr(value)

    def block(self, opening: str, items: list[str], closing: str, indent: str, lines: bool) -> str:
        if not items:
            return opening + closing
        if self.minified:
            return opening + ",".join(items) + closing
        if not lines:
            return f"{opening} {', '.join(items)} {closing}"
        inner = f"\n{indent}{self.step}"
        comment = f"{inner}// {self.rng.choice(W['comments'])}" if self.comments and self.rng.random() < 0.1 else ""
        end = "," if self.trailing else ""
        return f"{opening}{comment}{inner}{(',' + inner).join(items)}{end}\n{indent}{closing}"

    def key(self, key: str) -> str:
        return key if key.isidentifier() and key.isascii() else self.string(key)

    def string(self, text: str) -> str:
        escaped = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
        return self.quote + escaped.replace(self.quote, "\\" + self.quote) + self.quote


def _rejected(rng: random.Random, number: int) -> str:
    """Data that has no static value that every reader agrees on."""
    return rng.choice(
        [
            "module.exports = { create(context) { return { Program: node => context.report(node, messages) }; } };\n",
            f"const table = {{ {number}: 'one', {number + 1}: 'two', {number + 2}: 'three', {number + 3}: 'four' }};\n",
            "const holes = [ 'first value', , 'third value', , 'fifth value', 'sixth value' ];\n",
            "const merged = { ...defaults, name: 'merged options of the caller', values: [ 1, 2, 3, 4 ] };\n",
            "const text = { intro: `plain template`, outro: 'plain string', answer: 42, more: 'and more' };\n",
            "const computed = { [`key${1}`]: 'computed key of the table', other: 'other', third: 'third' };\n",
            "const limits = { largest: 9007199254740993n, smallest: 1n, step: 'one', unit: 'none at all' };\n",
        ]
    )
